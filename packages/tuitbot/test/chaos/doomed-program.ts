import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

export interface DoomedProgram {
  /** Node's arguments that run tuitbot's command line with doom upon it. */
  readonly args: readonly string[];
  readonly remove: () => Promise<void>;
}

/** The command line as it is shipped, bundled so that it starts as fast as one that is installed. */
export async function buildDoomedProgram(): Promise<DoomedProgram> {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  await build({
    entryPoints: {
      cli: new URL("../../src/main.ts", import.meta.url).pathname,
      doom: new URL("./doom.ts", import.meta.url).pathname,
    },
    outdir: folder,
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
  return {
    args: ["--import", join(folder, "doom.mjs"), join(folder, "cli.mjs")],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
