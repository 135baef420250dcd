import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { ChaosRun } from "./harness.ts";

export interface DoomedProgram {
  readonly command: ChaosRun["command"];
  readonly remove: () => Promise<void>;
}

/** The doomed server as one file, so that it starts as fast as a server that is installed. */
export async function buildDoomedProgram(): Promise<DoomedProgram> {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  const outfile = join(folder, "doomed-server.mjs");
  await build({
    entryPoints: [new URL("./doomed-server.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
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
    command: [process.execPath, outfile],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
