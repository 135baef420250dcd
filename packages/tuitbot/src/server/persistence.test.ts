import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { approvalKey } from "./persistence.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tuitbot-key-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("every process gets the key that the first one made, and nobody else can read it", async () => {
  const file = join(folder, "keys", "approvals");
  const [first, second] = await Promise.all([approvalKey(file), approvalKey(file)]);
  expect(first).toHaveLength(32);
  expect(second).toEqual(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a file that is no key is not overwritten", async () => {
  const file = join(folder, "broken");
  await writeFile(file, "nonsense");
  await expect(approvalKey(file)).rejects.toThrow("is not a key");
});
