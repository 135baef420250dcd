#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`x-sandbox needs Node.js 22.18 or newer; this is ${process.version}.`);
  process.exit(1);
}

const { existsSync } = await import("node:fs");
const built = new URL("../dist/cli.js", import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  // A checkout that was not built runs the sources, which find each other by this condition.
  const { registerHooks } = await import("node:module");
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "toolpact-source"] }),
  });
  await import(new URL("../src/cli.ts", import.meta.url).href);
}
