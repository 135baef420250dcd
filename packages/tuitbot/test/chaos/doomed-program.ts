import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

let built: Promise<readonly string[]> | undefined;

/**
 * Node's arguments that run tuitbot's command line with doom upon it. It is bundled, so that it starts about as fast as
 * one that is installed.
 */
export function doomedProgram(): Promise<readonly string[]> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<readonly string[]> {
  const outdir = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: {
      cli: new URL("../../src/main.ts", import.meta.url).pathname,
      doom: new URL("./doom.ts", import.meta.url).pathname,
    },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["toolpact-source"],
    external: ["pg-native"],
    // Packages of the older kind ask for `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return ["--import", join(outdir, "doom.mjs"), join(outdir, "cli.mjs")];
}
