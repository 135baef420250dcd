import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../../scripts/bundle.ts";

let built: Promise<string> | undefined;

/** Node's arguments that run tuitbot's command line, bundled as it is published, with doom upon it. */
export async function doomedProgram(): Promise<readonly string[]> {
  built ??= bundled();
  const folder = await built;
  // A server lives for a second here, in which it need not collect garbage.
  return ["--min-semi-space-size=64", "--import", join(folder, "doom.js"), join(folder, "cli.js")];
}

/** The same without doom; it reports its memory when it is asked. */
export async function measuredProgram(): Promise<readonly string[]> {
  built ??= bundled();
  const folder = await built;
  return ["--expose-gc", "--import", join(folder, "soak-probe.js"), join(folder, "cli.js")];
}

async function bundled(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  const source = (path: string) => new URL(path, import.meta.url).pathname;
  await bundle({
    entries: {
      cli: source("../../src/main.ts"),
      doom: source("./doom.ts"),
      "soak-probe": source("./soak-probe.ts"),
    },
    outdir,
  });
  await writeFile(join(outdir, "package.json"), '{"type":"module"}');
  return outdir;
}
