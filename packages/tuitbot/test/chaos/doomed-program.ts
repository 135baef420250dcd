import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../../scripts/bundle.ts";

export interface DoomedProgram {
  /** Node's arguments that run tuitbot's command line with doom upon it. */
  readonly args: readonly string[];
  readonly remove: () => Promise<void>;
}

/** The command line, bundled as it is shipped. */
export async function buildDoomedProgram(): Promise<DoomedProgram> {
  const outdir = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  const source = (path: string) => new URL(path, import.meta.url).pathname;
  await bundle({ entries: { cli: source("../../src/main.ts"), doom: source("./doom.ts") }, outdir });
  return {
    args: ["--import", join(outdir, "doom.js"), join(outdir, "cli.js")],
    remove: () => rm(outdir, { recursive: true, force: true }),
  };
}
