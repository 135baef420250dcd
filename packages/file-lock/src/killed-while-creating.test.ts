import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPrivateFile } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "killed-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Creates the file in a process that is killed before or after one step. */
function createAndDie(file: string, content: string, step: string, moment: string) {
  const index = new URL("index.ts", import.meta.url).href;
  const program = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const real = fs.promises[${JSON.stringify(step)}];
    fs.promises[${JSON.stringify(step)}] = async (...args) => {
      if (${JSON.stringify(moment)} === "before") process.kill(process.pid, "SIGKILL");
      await real(...args);
      process.kill(process.pid, "SIGKILL");
    };
    syncBuiltinESMExports();
    const { createPrivateFile } = await import(${JSON.stringify(index)});
    await createPrivateFile(${JSON.stringify(file)}, ${JSON.stringify(content)});`;
  return spawnSync(process.execPath, [
    "--conditions=toolpact-source",
    "--input-type=module",
    "--eval",
    program,
  ]);
}

test.each([
  ["before", "writeFile"],
  ["after", "writeFile"],
  ["before", "link"],
  ["after", "link"],
  ["before", "rm"],
  ["after", "rm"],
])(
  "a process killed %s %s leaves a whole file or none, and the next creation leaves nothing else",
  async (moment, step) => {
    const file = join(folder, "approval.key");
    const dead = createAndDie(file, "the first", step, moment);
    expect(dead.signal, String(dead.stderr)).toBe("SIGKILL");
    const left = await readFile(file, "utf8").catch(() => undefined);
    expect([undefined, "the first"]).toContain(left);
    await createPrivateFile(file, "the second");
    expect(await readFile(file, "utf8")).toBe(left ?? "the second");
    expect(await readdir(folder)).toEqual(["approval.key"]);
  },
);
