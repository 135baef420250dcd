import { mkdir, open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Clock, pause } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import { fileProblem } from "./file-problem.ts";
import type { OAuthError } from "./oauth-error.ts";

export interface LockOptions {
  readonly clock: Clock;
  /** Longer than any work under the lock: who is seen holding it for that long has lost it. */
  readonly longestMs: number;
}

/**
 * Runs `work` while no other process runs its own under the same path.
 *
 * The lock is a file that one process can create and the others cannot. One that is left behind, because its
 * process died or it is held for longer than any work takes, is removed by whoever waits. Removing it goes
 * through a second file: of two who find the same dead lock, the slower must not remove what the faster has taken.
 */
export async function underFileLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<Outcome<T, OAuthError>> {
  const ticket = `${hostname()} ${process.pid} ${crypto.randomUUID()}`;
  const taken = await take(path, ticket, options);
  if (!taken.ok) return taken;
  try {
    return ok(await work());
  } finally {
    await removeIfStill(path, ticket);
  }
}

const PAUSE_MS = 25;

async function take(
  path: string,
  ticket: string,
  { clock, longestMs }: LockOptions,
): Promise<Outcome<undefined, OAuthError>> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    return failed(fileProblem("cannot be locked", error));
  }
  const giveUpAt = clock.now() + 3 * longestMs;
  let seen: string | undefined;
  let seenSince = clock.now();
  for (;;) {
    const created = await createOnce(path, ticket);
    if (!created.ok) return created;
    if (created.value) return ok(undefined);

    const holder = await ticketIn(path);
    if (holder !== seen) {
      seen = holder;
      seenSince = clock.now();
    }
    const isAbandoned = holder !== undefined && (isDead(holder) || clock.now() - seenSince >= longestMs);
    if (isAbandoned) await removeAbandoned(path, holder);
    else if (clock.now() >= giveUpAt)
      return failed({
        kind: "busy",
        message: "Other processes keep renewing the X tokens. Try again in a minute.",
      });
    else await pause(clock, PAUSE_MS);
  }
}

async function removeAbandoned(path: string, ticket: string): Promise<void> {
  const removal = `${path}.removal`;
  const own = `${hostname()} ${process.pid} ${crypto.randomUUID()}`;
  const created = await createOnce(removal, own);
  if (created.ok && created.value) {
    await removeIfStill(path, ticket);
    await removeIfStill(removal, own);
    return;
  }
  const other = await ticketIn(removal);
  if (other !== undefined && isDead(other)) await removeIfStill(removal, other);
}

/** Somebody else may have removed the file meanwhile and put up their own. */
async function removeIfStill(path: string, ticket: string): Promise<void> {
  if ((await ticketIn(path)) === ticket) await rm(path, { force: true });
}

/** Whether this process created the file; false when it was there. */
async function createOnce(path: string, content: string): Promise<Outcome<boolean, OAuthError>> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content);
    } catch (error) {
      // A lock without a ticket has no holder, and would keep everybody waiting.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return ok(true);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return ok(false);
    return failed(fileProblem("cannot be locked", error));
  }
}

async function ticketIn(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** Whether a ticket's process is known to be gone. Of other machines, and of half-written tickets, nothing is known. */
function isDead(ticket: string): boolean {
  const [host, pid] = ticket.split(" ");
  if (host !== hostname() || pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}
