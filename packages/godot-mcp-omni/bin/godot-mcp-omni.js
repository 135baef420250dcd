#!/usr/bin/env node
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const dist = new URL("../dist/cli.js", import.meta.url);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`godot-mcp-omni needs Node 22.18 or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else if (!existsSync(dist)) {
  console.error("godot-mcp-omni is not built yet: run `npm run build` in the checkout first.");
  process.exitCode = 1;
} else {
  await import(dist.href);
}
