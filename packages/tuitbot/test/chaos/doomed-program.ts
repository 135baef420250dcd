import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../../scripts/bundle.ts";

let built: Promise<readonly string[]> | undefined;

/** Node's arguments that run tuitbot's command line, bundled as it is published, with doom upon it. */
export function doomedProgram(): Promise<readonly string[]> {
  built ??= bundled();
  return built;
}

async function bundled(): Promise<readonly string[]> {
  const outdir = await mkdtemp(join(tmpdir(), "tuitbot-chaos-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  const source = (path: string) => new URL(path, import.meta.url).pathname;
  await bundle({ entries: { cli: source("../../src/main.ts"), doom: source("./doom.ts") }, outdir });
  await writeFile(join(outdir, "package.json"), '{"type":"module"}');
  // A server lives for a second here, in which it need not collect garbage.
  return ["--min-semi-space-size=64", "--import", join(outdir, "doom.js"), join(outdir, "cli.js")];
}
