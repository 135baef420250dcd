import { access, constants, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/contract";
import { parseJson } from "@toolpact/contract/internal";
import { readTextFile, syncFolder, withFileLock } from "@toolpact/file-lock";
import { objectIn } from "../../x/shapes/x-object.ts";

/** Not repeatable before `until`. */
export interface RecentCall {
  /** Digest of tool and arguments. */
  readonly key: string;
  /** Open: running, unanswered, or its process died. */
  readonly state: "done" | "open";
  readonly until: number;
  /** Such as `like:123`: undoing them ends it. */
  readonly makes: readonly string[];
}

/** For `utility-write`, which stores nothing else. */
export interface RecentCalls {
  /** Exclusive, and on disk when it returns. */
  readonly change: <T>(change: (calls: readonly RecentCall[]) => Change<T>) => Promise<Outcome<T, string>>;
  /** Changes nothing. */
  readonly check: () => Promise<Outcome<true, string>>;
}

export interface Change<T> {
  readonly calls: readonly RecentCall[];
  readonly result: T;
}

/** For this process only. */
export function recentCallsInMemory(): RecentCalls {
  let calls: readonly RecentCall[] = [];
  return {
    async change(change) {
      const changed = change(calls);
      calls = changed.calls;
      return ok(changed.result);
    },
    check: async () => ok(true),
  };
}

/** Shared by all processes. A crash leaves the old or the new list. */
export function recentCallsIn(path: string): RecentCalls {
  return {
    async change(change) {
      try {
        const locked = await withFileLock(`${path}.lock`, LOCK, async () => {
          const changed = change(await readCalls(path));
          await writeCalls(path, changed.calls);
          return changed.result;
        });
        return locked.ok ? locked : failed(`The file of recent calls is ${locked.failure.kind}: ${path}.`);
      } catch (error) {
        return unusable(path, error);
      }
    },
    async check() {
      try {
        await readCalls(path);
        await access(dirname(path), constants.W_OK);
        return ok(true);
      } catch (error) {
        return unusable(path, error);
      }
    },
  };
}

function unusable(path: string, error: unknown): Outcome<never, string> {
  const why = error instanceof Error ? error.message : String(error);
  return failed(`The file of recent calls cannot be read or written: ${path} (${why}).`);
}

const LOCK = { giveUpMs: 10_000, longestMs: 30_000 };

async function readCalls(path: string): Promise<readonly RecentCall[]> {
  const text = await readTextFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"calls":[]}';
    throw error;
  });
  const { calls } = objectIn(parseJson(text));
  // An empty list would let calls repeat.
  if (!Array.isArray(calls) || !calls.every(isCall)) throw new Error("it is damaged");
  return calls;
}

function isCall(value: unknown): value is RecentCall {
  const { key, state, until, makes } = objectIn(value);
  return (
    typeof key === "string" &&
    (state === "done" || state === "open") &&
    typeof until === "number" &&
    Array.isArray(makes)
  );
}

async function writeCalls(path: string, calls: readonly RecentCall[]): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify({ calls }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
