import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { heldClock } from "../../test/doubles.ts";
import { systemClock } from "../clock.ts";
import { underFileLock } from "./file-lock.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "x-api-lock-"));
  path = join(folder, "tokens.json.lock");
});
afterEach(() => rm(folder, { recursive: true }));

const patient = { clock: systemClock, longestMs: 600_000 };
/** A process id that Linux, macOS and Windows never give. */
const NOBODY = 2 ** 22 + 12_345;

test("lets one in at a time", async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside++;
    most = Math.max(most, inside);
    await readdir(folder);
    inside--;
    return "done";
  };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => underFileLock(path, patient, work)));
  expect(outcomes).toEqual(Array(8).fill({ ok: true, value: "done" }));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("is free again after work that throws", async () => {
  const broken = underFileLock(path, patient, () => Promise.reject(new Error("a bug")));
  await expect(broken).rejects.toThrow("a bug");
  expect(await underFileLock(path, patient, async () => 1)).toEqual({ ok: true, value: 1 });
});

test("takes over from a process that has died, though many find it at once", async () => {
  await writeFile(path, `${hostname()} ${NOBODY} dead`);
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await readdir(folder);
    inside--;
  };
  await Promise.all(Array.from({ length: 16 }, () => underFileLock(path, patient, work)));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("takes over from one who died while removing the lock of the dead", async () => {
  await writeFile(path, `${hostname()} ${NOBODY} dead`);
  await writeFile(`${path}.removal`, `${hostname()} ${NOBODY} dead too`);
  expect(await underFileLock(path, patient, async () => 1)).toEqual({ ok: true, value: 1 });
});

test.each([
  ["another machine", "elsewhere 1 ticket"],
  ["a process that is alive and stuck", `${hostname()} ${process.pid} ticket`],
  ["a process that died before it could write its name", ""],
])("waits for %s as long as any work takes, and no longer", async (_, ticket) => {
  await writeFile(path, ticket);
  const clock = heldClock(undefined, true);
  const start = clock.now();
  expect(await underFileLock(path, { clock, longestMs: 1_000 }, async () => clock.now() - start)).toEqual({
    ok: true,
    value: 1_000,
  });
});

test("gives up when others always come first", async () => {
  const clock = heldClock(undefined, true);
  let turn = 0;
  const crowd = {
    ...clock,
    after: (ms: number, run: () => void) => clock.after(ms, () => void changeHands().then(run)),
  };
  const changeHands = () => writeFile(path, `elsewhere 1 ${turn++}`);
  await changeHands();
  expect(await underFileLock(path, { clock: crowd, longestMs: 1_000 }, async () => 1)).toMatchObject({
    ok: false,
    failure: { kind: "busy" },
  });
});

test("says when the folder cannot be written", async () => {
  await writeFile(join(folder, "file"), "");
  expect(await underFileLock(join(folder, "file", "lock"), patient, async () => 1)).toMatchObject({
    ok: false,
    failure: { kind: "token_file" },
  });
});
