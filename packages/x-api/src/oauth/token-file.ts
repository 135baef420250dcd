import { statSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { inspect } from "node:util";
import { makeFolder, readTextFile, syncFolder, withFileLock } from "@toolpact/file-lock";
import { failed, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { pause, systemClock } from "../clock.ts";
import { errorCode } from "../errors.ts";
import { fileProblem, type OAuthError } from "./oauth-error.ts";
import { type Grant, type OAuthEnvironment, TOKEN_TIMEOUT_MS } from "./token-endpoint.ts";

/** Stores the tokens in a file shared by the processes of one machine. */
export function tokenFile(
  path: string,
  { clock = systemClock, timeoutMs = TOKEN_TIMEOUT_MS }: Pick<OAuthEnvironment, "clock" | "timeoutMs">,
): TokenStorage {
  /** The file's version when last read or written: another process may have signed in since. */
  let known: string | undefined;
  return {
    isCurrent: () => tokenFileEdition(path) === known,
    async read() {
      // Before reading: a file replaced in between counts as changed.
      const edition = tokenFileEdition(path);
      const stored = await readTokenFile(path);
      if (stored.ok) known = edition;
      return stored;
    },
    async write(grant) {
      const written = await writeTokenFile(path, grant);
      if (written.ok) known = tokenFileEdition(path);
      return written;
    },
    delete: () => deleteTokenFile(path),
    markRenewal: () => markRenewal(path),
    clearRenewal: () => clearRenewal(path),
    async locked(work) {
      const lockClock = { now: () => clock.now(), wait: (ms: number) => pause(clock, ms) };
      const longestMs = 2 * timeoutMs;
      const options = { clock: lockClock, longestMs, giveUpMs: 3 * longestMs };
      const done = await withFileLock(`${path}.lock`, options, work);
      if (done.ok) return done.value;
      return failed(
        done.failure.kind === "unusable"
          ? fileProblem("cannot be locked", done.failure.cause)
          : tokensAreBusy,
      );
    },
  };
}

/** Reads the file; undefined if nobody has signed in. */
export async function readTokenFile(path: string): Promise<Outcome<Grant | undefined, OAuthError>> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(undefined) : failed(fileProblem("cannot be read", error));
  }
  const grant = parseGrant(text);
  return grant === undefined
    ? failed(fileProblem("does not hold tokens: delete it and sign in again"))
    : ok(grant);
}

/**
 * Replaces the file: after a crash at any moment, either the old or the new tokens are on disk, complete.
 * Only its owner can read it.
 */
export async function writeTokenFile(path: string, grant: Grant): Promise<Outcome<undefined, OAuthError>> {
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}.new`;
  try {
    await makeFolder(dirname(path));
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(printGrant(grant));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
    return ok(undefined);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    return failed(fileProblem("cannot be written", error));
  }
}

/**
 * Records that a refresh has started, in a file as large as the new tokens: on a full disk the refresh does not
 * start. `isFirst` is false if an earlier refresh did not finish.
 */
async function markRenewal(path: string): Promise<Outcome<{ readonly isFirst: boolean }, OAuthError>> {
  const mark = renewalMark(path);
  try {
    const isFirst = await stat(mark).then(
      () => false,
      () => true,
    );
    const file = await open(mark, "w", 0o600);
    try {
      await file.writeFile(" ".repeat(RENEWAL_BYTES));
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dirname(path));
    return ok({ isFirst });
  } catch (error) {
    return failed(fileProblem("could not be replaced, so they are not renewed", error));
  }
}

async function clearRenewal(path: string): Promise<void> {
  await rm(renewalMark(path), { force: true }).catch(() => undefined);
}

function renewalMark(path: string): string {
  return `${path}.renewing`;
}

/** Larger than any token file. */
const RENEWAL_BYTES = 4_096;

/**
 * Identifies the current version of the file; undefined if there is none. Synchronous because every request checks it:
 * a thread switch would take many times as long.
 */
function tokenFileEdition(path: string): string | undefined {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return undefined;
  }
}

export async function deleteTokenFile(path: string): Promise<Outcome<undefined, OAuthError>> {
  try {
    await rm(path, { force: true });
    return ok(undefined);
  } catch (error) {
    return failed(fileProblem("cannot be deleted", error));
  }
}

/** Stores the tokens of one sign-in, for all processes that share it. */
export interface TokenStorage {
  /** Undefined if nobody is signed in. */
  readonly read: () => Promise<Outcome<Grant | undefined, OAuthError>>;
  /** Replaces the tokens atomically: after a crash, either the old or the new ones remain. Only within `locked`. */
  readonly write: (grant: Grant) => Promise<Outcome<undefined, OAuthError>>;
  readonly delete: () => Promise<Outcome<undefined, OAuthError>>;
  /** True if the last value read or written is still current. Synchronous, because every request checks it. */
  readonly isCurrent: () => boolean;
  /**
   * Records that a refresh has started, and fails if the new tokens could not be stored either. `isFirst` is false
   * if an earlier refresh did not finish.
   */
  readonly markRenewal: () => Promise<Outcome<{ readonly isFirst: boolean }, OAuthError>>;
  readonly clearRenewal: () => Promise<void>;
  /** Runs work while no other process changes the tokens. */
  readonly locked: <T>(work: () => Promise<Outcome<T, OAuthError>>) => Promise<Outcome<T, OAuthError>>;
}

export const tokensAreBusy: OAuthError = {
  kind: "busy",
  message: "Other processes keep renewing the X tokens. Try again in a minute.",
};

/** Serializes tokens for storage, in plain text. */
export function printGrant({ accessToken, refreshToken, expiresAt, scopes, signInId }: Grant): string {
  const stored = {
    version: 1,
    access_token: accessToken.reveal(),
    ...(refreshToken && { refresh_token: refreshToken.reveal() }),
    expires_at: expiresAt,
    scopes,
    ...(signInId !== undefined && { sign_in_id: signInId }),
  };
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** Undefined if the text contains no tokens. */
export function parseGrant(text: string): Grant | undefined {
  const stored = parseJson(text);
  if (typeof stored !== "object" || stored === null) return undefined;
  if (!("version" in stored && stored.version === 1)) return undefined;
  if (!("access_token" in stored && typeof stored.access_token === "string")) return undefined;
  if (!("expires_at" in stored && typeof stored.expires_at === "number")) return undefined;
  const refreshToken = "refresh_token" in stored ? stored.refresh_token : undefined;
  const scopes = "scopes" in stored && Array.isArray(stored.scopes) ? stored.scopes.map(String) : [];
  return {
    accessToken: new Secret(stored.access_token),
    ...(typeof refreshToken === "string" && { refreshToken: new Secret(refreshToken) }),
    expiresAt: stored.expires_at,
    scopes,
    ...("sign_in_id" in stored && typeof stored.sign_in_id === "string" && { signInId: stored.sign_in_id }),
  };
}

/**
 * A text that must not be printed. Logging, formatting or serializing it shows `[secret]`;
 * only `reveal()` returns it.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
