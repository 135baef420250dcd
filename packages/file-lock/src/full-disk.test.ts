import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { syncFolder, withFileLock } from "./index.ts";

const { closed } = vi.hoisted(() => ({ closed: { count: 0 } }));

/** Files can be created, but not written. */
vi.mock("node:fs", async (importActual) => {
  const actual = await importActual<typeof import("node:fs")>();
  return {
    ...actual,
    writeSync: () => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    },
    closeSync: (file: number) => {
      closed.count += 1;
      actual.closeSync(file);
    },
  };
});

/** Folders cannot be synced. */
vi.mock("node:fs/promises", async (importActual) => {
  const actual = await importActual<typeof import("node:fs/promises")>();
  const open: typeof actual.open = async (...args) => {
    const file = await actual.open(...args);
    const close = file.close.bind(file);
    return Object.assign(file, {
      sync: () => Promise.reject(Object.assign(new Error("not here"), { code: "EINVAL" })),
      close: () => {
        closed.count += 1;
        return close();
      },
    });
  };
  return { ...actual, open };
});

test("a lock that cannot be written is not left behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "file-lock-"));
  const outcome = await withFileLock(join(folder, "lock"), { giveUpMs: 0 }, async () => "done");
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "unusable", cause: { code: "ENOSPC" } } });
  expect(await readdir(folder)).toEqual([]);
  expect(closed.count).toBe(1);
  await rm(folder, { recursive: true });
});

test("a folder that cannot be synced or opened is not an error", async () => {
  const before = closed.count;
  await syncFolder(tmpdir());
  expect(closed.count).toBe(before + 1);
  await syncFolder(join(tmpdir(), "file-lock-nowhere"));
});
