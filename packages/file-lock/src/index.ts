import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { link, lstat, mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";

export interface LockOptions {
  /** How long to wait for the lock. */
  readonly giveUpMs: number;
  /** Longer than any work under the lock: older locks are taken over. Without it, only locks of dead processes are. */
  readonly longestMs?: number;
  readonly clock?: LockClock;
}

export interface LockClock {
  /** Epoch milliseconds. */
  now(): number;
  wait(ms: number): Promise<unknown>;
}

/** The reason the work was not done: the lock stayed busy, or the file cannot be created. */
export type LockFailure = { readonly kind: "busy" } | { readonly kind: "unusable"; readonly cause: unknown };

/**
 * Runs `work` while no other process, and no other call in this one, runs under the same path.
 *
 * The lock is a file that only one process can create. A lock left behind by a dead process
 * is removed by a waiting process. Removal needs a second file: if two processes find the same dead lock, the slower
 * one must not remove the new lock of the faster one.
 *
 * @example
 * const counted = await withFileLock("counter.lock", { giveUpMs: 5_000 }, () => readAddOneAndWrite());
 * if (!counted.ok) console.error(counted.failure.kind);
 */
export async function withFileLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<Outcome<T, LockFailure>> {
  const ticket = newTicket();
  try {
    const taken = await take(path, ticket, options).catch((cause: unknown) => ({ cause }));
    if (taken === false) return failed({ kind: "busy" });
    if (taken !== true) return failed({ kind: "unusable", cause: taken.cause });
    try {
      return ok(await work());
    } finally {
      removeIfStill(path, ticket);
    }
  } finally {
    ownTickets.delete(ticket);
  }
}

const PAUSE_MS = 10;
/** A lock without a ticket is being written, or its process was killed. */
const NAMELESS_MS = 10_000;

/** Any other ticket with our id belongs to an earlier process. */
const ownTickets = new Set<string>();

const systemClock: LockClock = { now: () => Date.now(), wait: (ms) => setTimeout(ms) };

/** False if the lock stayed busy. */
async function take(path: string, ticket: string, options: LockOptions): Promise<boolean> {
  const { giveUpMs, longestMs = Number.POSITIVE_INFINITY, clock = systemClock } = options;
  const giveUpAt = clock.now() + giveUpMs;
  let seen: string | undefined;
  let seenSince = clock.now();
  while (!createOnce(path, ticket)) {
    const holder = ticketIn(path);
    if (holder !== seen) {
      seen = holder;
      seenSince = clock.now();
    }
    const patienceMs = holder === "" ? Math.min(longestMs, NAMELESS_MS) : longestMs;
    const isAbandoned = holder !== undefined && (isDead(holder) || clock.now() - seenSince >= patienceMs);
    if (isAbandoned && removeAbandoned(path, holder)) continue;
    if (clock.now() >= giveUpAt) return false;
    await clock.wait(PAUSE_MS);
  }
  return true;
}

/** False if another process is removing it. */
function removeAbandoned(path: string, ticket: string): boolean {
  const removal = `${path}.removal`;
  const own = newTicket();
  if (createOnce(removal, own)) {
    removeIfStill(path, ticket);
    removeIfStill(removal, own);
    ownTickets.delete(own);
    return true;
  }
  ownTickets.delete(own);
  const other = ticketIn(removal);
  if (other !== undefined && (isDead(other) || isOld(removal))) removeIfStill(removal, other);
  return false;
}

/** Another process may have replaced the file meanwhile. */
function removeIfStill(path: string, ticket: string): void {
  if (ticketIn(path) === ticket) rmSync(path, { force: true });
}

/** False if it existed. Synchronous, because it takes microseconds and a thread would cost more. */
function createOnce(path: string, content: string): boolean {
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      writeSync(file, content);
    } catch (error) {
      // A lock without a ticket would block everyone.
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (codeOf(error) !== "ENOENT") throw error;
    makeFolderSync(dirname(path));
    return createOnce(path, content);
  }
}

function ticketIn(path: string): string | undefined {
  try {
    // Reading a device or a pipe may never end.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function isOld(path: string): boolean {
  const written = statSync(path, { throwIfNoEntry: false });
  return written !== undefined && Date.now() - written.mtimeMs > NAMELESS_MS;
}

function newTicket(): string {
  const ticket = `${hostname()} ${process.pid} ${crypto.randomUUID()}`;
  ownTickets.add(ticket);
  return ticket;
}

/** False for other machines and half-written tickets. */
function isDead(ticket: string): boolean {
  const [host, pid] = ticket.split(" ");
  if (host !== hostname() || pid === undefined) return false;
  if (Number(pid) === process.pid) return !ownTickets.has(ticket);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Creates a private folder and its parents. Node's `recursive` loops forever where nothing can be created, as
 * in `/proc`.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const make = () => mkdir(path, { mode }).catch(unlessThere);
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await make();
  }
}

export function makeFolderSync(path: string, mode = 0o700): void {
  const make = () => {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      unlessThere(error);
    }
  };
  try {
    make();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolderSync(dirname(path), mode);
    make();
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

/** Rejects devices and pipes, because reading one may never end. */
export async function readTextFile(path: string): Promise<string> {
  if (!(await stat(path)).isFile())
    throw Object.assign(new Error(`${path} is not a file.`), { code: "EINVAL" });
  return readFile(path, "utf8");
}

/** Creates a private file unless it exists. It gets its name once complete and on disk. */
export async function createPrivateFile(file: string, content: string): Promise<void> {
  if (!(await exists(file))) {
    await makeFolder(dirname(file));
    const draft = `${file}.${randomUUID()}`;
    try {
      await writeFile(draft, content, { flag: "wx", mode: 0o600, flush: true });
      await link(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      // Another process was faster, and may have removed this draft too.
      if (!(await exists(file))) throw error;
    }
    await syncFolder(dirname(file));
  }
  await removeDrafts(file);
}

/** Once the file exists, all drafts are garbage. */
async function removeDrafts(file: string): Promise<void> {
  const start = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names)
    if (name.startsWith(start) && UUID.test(name.slice(start.length)))
      await rm(join(dirname(file), name), { force: true });
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Makes renames and new files durable, where the system can open a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
