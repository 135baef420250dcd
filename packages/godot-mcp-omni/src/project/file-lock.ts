import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

const LOOK_EVERY_MS = 10;
const GIVE_UP_MS = 120_000;
/** A lock without an owner is being written, or its process was killed just then. */
const NAMELESS_MS = 10_000;

/** Locks of this process: one with its id that is not here was left by a process that had the same id. */
const held = new Set<string>();

/**
 * Waits until no other process has the lock, and takes it. The locks of processes that died are taken over.
 * Answers how to let go of it; undefined when the other one did not in all that time.
 */
export async function takeLock(file: string): Promise<(() => void) | undefined> {
  for (let waited = 0; waited <= GIVE_UP_MS; waited += LOOK_EVERY_MS) {
    if (create(file)) {
      held.add(file);
      return () => {
        held.delete(file);
        rmSync(file, { force: true });
      };
    }
    if (!takeAway(file)) await setTimeout(LOOK_EVERY_MS);
  }
  return undefined;
}

function create(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid} ${hostname()}`, { flag: "wx" });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    return create(file);
  }
}

/** Only one process at a time may judge a lock, or it could take away the one that has just replaced it. */
function takeAway(file: string): boolean {
  if (!isLeft(file)) return false;
  const judging = `${file}.judged`;
  if (!create(judging)) {
    if (isOld(judging)) rmSync(judging, { force: true });
    return false;
  }
  const isStillLeft = isLeft(file);
  if (isStillLeft) rmSync(file, { force: true });
  rmSync(judging, { force: true });
  return isStillLeft;
}

function isLeft(file: string): boolean {
  const [, id, host] = /^(\d+) (.+)$/.exec(textOf(file) ?? "") ?? [];
  if (id === undefined) return isOld(file);
  if (host !== hostname()) return false;
  return Number(id) === process.pid ? !held.has(file) : !isAlive(Number(id));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Its owner has let go of it meanwhile.
    return undefined;
  }
}

function isOld(file: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && Date.now() - written > NAMELESS_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
