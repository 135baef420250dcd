import { failed, type Outcome, ok } from "@toolpact/outcome";
import { systemClock } from "../clock.ts";
import { networkError } from "../errors.ts";
import type { Token, TokenKind, TokenSource } from "../tokens.ts";
import { asProviderError, type OAuthError } from "./oauth-error.ts";
import {
  type Grant,
  type OAuthApp,
  type OAuthEnvironment,
  refreshGrant,
  revokeToken,
} from "./token-endpoint.ts";
import type { Secret } from "./token-file.ts";
import { type TokenStorage, tokenFile } from "./token-file.ts";

export type TokenKeeperOptions = KeeperSettings &
  (
    | {
        readonly path: string;
      }
    | { readonly storage: TokenStorage }
  );

interface KeeperSettings extends OAuthEnvironment {
  /** Missing if only the app-only token is used. */
  readonly app?: OAuthApp;
  readonly appToken?: Secret;
  /** Named in the message of an expired sign-in. */
  readonly loginCommand?: string;
  /** Called once when X no longer accepts the sign-in. */
  readonly onEnded?: (message: string) => void;
}

/**
 * Refreshes a sign-in's tokens before they expire, by one process at a time. A refresh token works once, so
 * the new one is stored before its access token is used.
 */
export class TokenKeeper implements TokenSource {
  readonly #options: KeeperSettings;
  readonly #storage: TokenStorage;
  #grant: Grant | undefined;
  /** With the refresh token that was used for them. */
  #unsaved: { readonly grant: Grant; readonly usedUp: string } | undefined;
  /** A failed early refresh waits until then. */
  #quietUntil = 0;
  /** The sign-in whose end was reported. */
  #endTold: string | undefined;
  #refreshing: Promise<Outcome<Grant, OAuthError>> | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#storage = "storage" in options ? options.storage : tokenFile(options.path, options);
  }

  async userToken(signal?: AbortSignal): Promise<Token> {
    const stored = await this.#current();
    if (!stored.ok) return failed(asProviderError(stored.failure));
    if (stored.value === undefined) return failed("none");
    const token = stored.value.accessToken.reveal();
    return this.#isDue(stored.value) ? this.#renewed(token, false, signal) : ok(token);
  }

  async appToken(): Promise<Token> {
    const { appToken } = this.#options;
    return appToken === undefined ? failed("none") : ok(appToken.reveal());
  }

  async rejected(token: string, kind: TokenKind, signal?: AbortSignal): Promise<Token> {
    if (kind === "app") return failed("none");
    const stored = await this.#reload();
    if (!stored.ok) return failed(asProviderError(stored.failure));
    if (stored.value === undefined) return failed(asProviderError(this.#signedOut()));
    const current = stored.value.accessToken.reveal();
    if (current !== token && !this.#isDue(stored.value)) return ok(current);
    return this.#renewed(token, true, signal);
  }

  /** Undefined if nobody is signed in. */
  async grant(): Promise<Outcome<Grant | undefined, OAuthError>> {
    return this.#reload();
  }

  /** Replaces any earlier one. */
  async signIn(grant: Grant): Promise<Outcome<undefined, OAuthError>> {
    this.#unsaved = undefined;
    return this.#storage.locked(() => this.#store({ ...grant, signInId: crypto.randomUUID() }));
  }

  /** `revoked` is true if X confirmed it. */
  async signOut(): Promise<Outcome<{ readonly revoked: boolean }, OAuthError>> {
    return this.#storage.locked(async (): Promise<Outcome<{ readonly revoked: boolean }, OAuthError>> => {
      const stored = await this.#reload();
      const revoked = stored.ok && stored.value !== undefined && (await this.#revoke(stored.value));
      const deleted = await this.#storage.delete();
      await this.#storage.clearRenewal();
      this.#grant = undefined;
      this.#unsaved = undefined;
      return deleted.ok ? ok({ revoked }) : deleted;
    });
  }

  /** One refresh serves all callers; an aborted one does not end it. */
  async #renewed(token: string, isRejected: boolean, signal: AbortSignal | undefined): Promise<Token> {
    const isJoined = this.#refreshing !== undefined;
    this.#refreshing ??= this.#refresh(token, isRejected).finally(() => {
      this.#refreshing = undefined;
    });
    const outcome = await unlessAborted(this.#refreshing, signal);
    if (outcome === "aborted") return failed(networkError("aborted", false));
    if (!outcome.ok) return failed(asProviderError(outcome.failure));
    const renewed = outcome.value.accessToken.reveal();
    // A running refresh did not know about the rejection.
    return isJoined && isRejected && renewed === token
      ? this.#renewed(token, isRejected, signal)
      : ok(renewed);
  }

  async #refresh(token: string, isRejected: boolean): Promise<Outcome<Grant, OAuthError>> {
    return this.#storage.locked(async (): Promise<Outcome<Grant, OAuthError>> => {
      const saved = await this.#saveLeftover();
      if (!saved.ok) return saved;
      const stored = await this.#reload();
      if (!stored.ok) return stored;
      if (stored.value === undefined) return failed(this.#signedOut());
      const isOther = stored.value.accessToken.reveal() !== token;
      if (isOther && !this.#isDue(stored.value)) return ok(stored.value);

      const renewed = await this.#exchange(stored.value);
      const isStillGood = (isOther || !isRejected) && stored.value.expiresAt > this.#now();
      if (renewed.ok || !isStillGood) return renewed;
      this.#quietUntil = this.#now() + QUIET_MS;
      return ok(stored.value);
    });
  }

  async #exchange(grant: Grant): Promise<Outcome<Grant, OAuthError>> {
    const { app } = this.#options;
    if (app === undefined || grant.refreshToken === undefined) return failed(this.#signedOut());
    const marked = await this.#storage.markRenewal();
    if (!marked.ok) return marked;
    const answer = await refreshGrant(app, grant.refreshToken, this.#options);
    if (!answer.ok) {
      if (answer.failure.kind === "invalid_grant") return this.#takenElsewhere(grant, marked.value.isFirst);
      // X has not used the refresh token, unless the answer got lost.
      const mayBeUsedUp = answer.failure.kind === "network" && answer.failure.ambiguous;
      if (!mayBeUsedUp && marked.value.isFirst) await this.#storage.clearRenewal();
      return answer;
    }
    const renewed = {
      ...answer.value,
      ...(grant.signInId !== undefined && { signInId: grant.signInId }),
      refreshToken: answer.value.refreshToken ?? grant.refreshToken,
      scopes: answer.value.scopes.length > 0 ? answer.value.scopes : grant.scopes,
    };
    this.#unsaved = { grant: renewed, usedUp: grant.refreshToken.reveal() };
    const saved = await this.#saveLeftover();
    return saved.ok ? ok(renewed) : saved;
  }

  /** A process suspended with the lock can still refresh first. */
  async #takenElsewhere(used: Grant, isFirst: boolean): Promise<Outcome<Grant, OAuthError>> {
    const stored = await this.#reload();
    const isOther = stored.ok && stored.value?.accessToken.reveal() !== used.accessToken.reveal();
    if (isOther && stored.value !== undefined) return ok(stored.value);
    if (isFirst) await this.#storage.clearRenewal();
    const ended = this.#signedOut(isFirst ? undefined : LOST);
    const token = used.accessToken.reveal();
    if (this.#endTold !== token) this.#options.onEnded?.(ended.message);
    this.#endTold = token;
    return failed(ended);
  }

  /** After a failed write, unless there was a sign-in since. */
  async #saveLeftover(): Promise<Outcome<undefined, OAuthError>> {
    if (this.#unsaved === undefined) return ok(undefined);
    const stored = await this.#reload();
    if (!stored.ok) return stored;
    const isAwaited = stored.value?.refreshToken?.reveal() === this.#unsaved.usedUp;
    const saved = isAwaited ? await this.#store(this.#unsaved.grant) : ok(undefined);
    if (saved.ok) this.#unsaved = undefined;
    return saved;
  }

  async #store(grant: Grant): Promise<Outcome<undefined, OAuthError>> {
    const written = await this.#storage.write(grant);
    if (!written.ok) return written;
    await this.#storage.clearRenewal();
    this.#grant = grant;
    return written;
  }

  /** Reads again only if they may have changed or expire soon. */
  async #current(): Promise<Outcome<Grant | undefined, OAuthError>> {
    const isKnown = this.#grant !== undefined && this.#storage.isCurrent() && !this.#isDue(this.#grant);
    return isKnown ? ok(this.#grant) : this.#reload();
  }

  async #reload(): Promise<Outcome<Grant | undefined, OAuthError>> {
    const stored = await this.#storage.read();
    if (stored.ok) this.#grant = stored.value;
    return stored;
  }

  async #revoke(grant: Grant): Promise<boolean> {
    const { app } = this.#options;
    if (app === undefined) return false;
    const tokens = [grant.refreshToken, grant.accessToken].filter((token) => token !== undefined);
    const answers = await Promise.all(tokens.map((token) => revokeToken(app, token, this.#options)));
    return answers.every((answer) => answer.ok);
  }

  #isDue(grant: Grant): boolean {
    const left = grant.expiresAt - this.#now();
    return left < REFRESH_AHEAD_MS && (left <= 0 || this.#now() >= this.#quietUntil);
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now();
  }

  #signedOut(why = "The sign-in to X has ended."): OAuthError {
    const { loginCommand } = this.#options;
    const fix = loginCommand === undefined ? "" : ` Run \`${loginCommand}\`.`;
    return { kind: "auth_expired", message: `${why}${fix}` };
  }
}

const LOST =
  "The sign-in to X was lost: X had renewed its tokens, and they were not stored because a process ended or the connection broke. X accepts a refresh token only once.";

/** Before expiry, so no token expires during a request. */
const REFRESH_AHEAD_MS = 2 * 60_000;
const QUIET_MS = 20_000;

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | "aborted"> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve("aborted");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
