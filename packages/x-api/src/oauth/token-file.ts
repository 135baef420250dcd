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

/** Shared by the processes of one machine. */
export function tokenFile(
  path: string,
  { clock = systemClock, timeoutMs = TOKEN_TIMEOUT_MS }: Pick<OAuthEnvironment, "clock" | "timeoutMs">,
): TokenStorage {
  /** The version last read or written: another process may have signed in since. */
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

/** Undefined if nobody has signed in. */
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

/** A crash leaves the old or the new tokens. Only the owner can read the file. */
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
 * Writes a file as large as the new tokens, so on a full disk the refresh does not start. `isFirst` is false
 * if an earlier one did not finish.
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

/** Synchronous, because every request checks it and a thread switch takes many times as long. */
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

/** For all processes that share a sign-in. */
export interface TokenStorage {
  /** Undefined if nobody is signed in. */
  readonly read: () => Promise<Outcome<Grant | undefined, OAuthError>>;
  /** Atomic. Only within `locked`. */
  readonly write: (grant: Grant) => Promise<Outcome<undefined, OAuthError>>;
  readonly delete: () => Promise<Outcome<undefined, OAuthError>>;
  /** Synchronous, because every request checks it. */
  readonly isCurrent: () => boolean;
  /** Fails if the new tokens could not be stored. `isFirst` is false if an earlier refresh did not finish. */
  readonly markRenewal: () => Promise<Outcome<{ readonly isFirst: boolean }, OAuthError>>;
  readonly clearRenewal: () => Promise<void>;
  readonly locked: <T>(work: () => Promise<Outcome<T, OAuthError>>) => Promise<Outcome<T, OAuthError>>;
}

export const tokensAreBusy: OAuthError = {
  kind: "busy",
  message: "Other processes keep renewing the X tokens. Try again in a minute.",
};

/** In plain text. */
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

/** Prints and serializes as `[secret]`; only `reveal()` returns the text. */
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
