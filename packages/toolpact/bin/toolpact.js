#!/usr/bin/env node
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const dist = new URL("../dist/cli.js", import.meta.url);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`toolpact needs Node 22.18 or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else if (existsSync(dist)) {
  await import(dist.href);
} else {
  // A checkout that was not built runs the sources, which find each other by this condition.
  const { registerHooks } = await import("node:module");
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "toolpact-source"] }),
  });
  await import(new URL("../src/main.ts", import.meta.url).href);
}
