import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPrivateFile, makeFolder, makeFolderSync, readTextFile, withFileLock } from "./index.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-lock-"));
  path = join(folder, "work.lock");
});
afterEach(() => rm(folder, { recursive: true }));

const patient = { giveUpMs: 600_000 };
const deadPid = () => spawnSync(process.execPath, ["--version"]).pid;

/** A clock that jumps ahead on every wait. */
function jumpingClock(onWait = async () => {}) {
  let now = 1_800_000_000_000;
  return {
    now: () => now,
    wait: async (ms: number) => {
      now += ms;
      await onWait();
    },
  };
}

/** Work that counts concurrent runs. */
function countedWork() {
  const count = { inside: 0, most: 0 };
  const work = async () => {
    count.most = Math.max(count.most, ++count.inside);
    await readdir(folder);
    count.inside--;
    return "done";
  };
  return { count, work };
}

test("allows one holder at a time", async () => {
  const { count, work } = countedWork();
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, patient, work)));
  expect(outcomes).toEqual(Array(8).fill({ ok: true, value: "done" }));
  expect(count.most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock is released after its work throws", async () => {
  const broken = withFileLock(path, patient, () => Promise.reject(new Error("a bug")));
  await expect(broken).rejects.toThrow("a bug");
  expect(await withFileLock(path, patient, async () => 1)).toEqual({ ok: true, value: 1 });
});

test.each([
  ["a process that has died", deadPid],
  ["an earlier process with the same id", () => process.pid],
])("a lock is taken over from %s by one of many waiters", async (_, pid) => {
  await writeFile(path, `${hostname()} ${pid()} dead`);
  const { count, work } = countedWork();
  await Promise.all(Array.from({ length: 16 }, () => withFileLock(path, patient, work)));
  expect(count.most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock is taken over from a process that died while it removed the lock of a dead process", async () => {
  const pid = deadPid();
  await writeFile(path, `${hostname()} ${pid} dead`);
  await writeFile(`${path}.removal`, `${hostname()} ${pid} dead too`);
  expect(await withFileLock(path, patient, async () => 1)).toEqual({ ok: true, value: 1 });
});

test("a lock is taken over from a process that died before it signed the removal", async () => {
  await writeFile(path, `${hostname()} ${deadPid()} dead`);
  await writeFile(`${path}.removal`, "");
  await utimes(`${path}.removal`, 1_000, 1_000);
  expect(await withFileLock(path, patient, async () => 1)).toEqual({ ok: true, value: 1 });
});

test.each([
  ["another machine", "elsewhere 1 ticket"],
  ["a process that is alive and stuck", `${hostname()} ${process.ppid} ticket`],
  ["a process that died before it could sign", ""],
])("waits for %s as long as any work takes, and no longer", async (_, ticket) => {
  await writeFile(path, ticket);
  const clock = jumpingClock();
  const start = clock.now();
  const options = { clock, longestMs: 1_000, giveUpMs: 3_000 };
  expect(await withFileLock(path, options, async () => clock.now() - start)).toEqual({
    ok: true,
    value: 1_000,
  });
});

test("waits in vain for a running process, unless it may lose the lock", async () => {
  await writeFile(path, `${hostname()} ${process.ppid} ticket`);
  const options = { clock: jumpingClock(), giveUpMs: 60_000 };
  expect(await withFileLock(path, options, async () => 1)).toEqual({ ok: false, failure: { kind: "busy" } });
});

test("an unsigned lock is taken over after ten seconds", async () => {
  await writeFile(path, "");
  const clock = jumpingClock();
  const start = clock.now();
  expect(await withFileLock(path, { clock, giveUpMs: 60_000 }, async () => clock.now() - start)).toEqual({
    ok: true,
    value: 10_000,
  });
});

test("a waiter gives up if other processes always get the lock first", async () => {
  let turn = 0;
  const changeHands = () => writeFile(path, `elsewhere 1 ${turn++}`);
  await changeHands();
  const options = { clock: jumpingClock(changeHands), longestMs: 1_000, giveUpMs: 3_000 };
  expect(await withFileLock(path, options, async () => 1)).toEqual({ ok: false, failure: { kind: "busy" } });
});

test("creates the folder, or reports that it cannot", async () => {
  expect(await withFileLock(join(folder, "a", "b", "lock"), patient, async () => 1)).toEqual({
    ok: true,
    value: 1,
  });
  await writeFile(join(folder, "file"), "");
  expect(await withFileLock(join(folder, "file", "lock"), patient, async () => 1)).toMatchObject({
    ok: false,
    failure: { kind: "unusable", cause: { code: "ENOTDIR" } },
  });
});

test.each(["/proc/nope/x", "/dev/null/x"])("making the folder %s ends with an error", async (place) => {
  await expect(makeFolder(place)).rejects.toThrow();
  expect(() => makeFolderSync(place)).toThrow();
});

test("folders are created with their parents, private unless a mode is given", async () => {
  await makeFolder(join(folder, "a", "b"));
  makeFolderSync(join(folder, "c", "d"), 0o755);
  makeFolderSync(join(folder, "c", "d"));
  const modeOf = async (...names: string[]) => (await stat(join(folder, ...names))).mode & 0o777;
  expect(await Promise.all([modeOf("a"), modeOf("a", "b"), modeOf("c"), modeOf("c", "d")])).toEqual([
    0o700, 0o700, 0o755, 0o755,
  ]);
});

test.each(["/dev/full", "/dev", "/nowhere"])("%s is not read as a file", async (place) => {
  await expect(readTextFile(place)).rejects.toThrow();
});

test("the first of several processes that create a private file wins", async () => {
  const file = join(folder, "keys", "one");
  await Promise.all(["a", "b", "c"].map((content) => createPrivateFile(file, content)));
  const [won] = await Promise.all([readFile(file, "utf8"), createPrivateFile(file, "late")]);
  expect(["a", "b", "c"]).toContain(won);
  expect(await readFile(file, "utf8")).toBe(won);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "keys"))).toEqual(["one"]);
});
