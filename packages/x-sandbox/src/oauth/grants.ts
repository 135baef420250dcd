import { hour, second } from "../clock.ts";
import type { Random } from "../random.ts";
import type { World } from "../world/world.ts";
import type { App } from "./apps.ts";

export interface Grant {
  readonly app: App;
  readonly userId: string;
  readonly scopes: readonly string[];
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Only with `offline.access`. */
  readonly refreshToken: string | undefined;
  readonly scopes: readonly string[];
}

export interface CodeRequest {
  readonly app: App;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
  readonly challengeMethod: "S256" | "plain";
}

/**
 * As at X: a code lasts 30 seconds and works once, an access token two hours, a refresh token once. A new
 * grant of an app and user ends the old one.
 */
export class Grants {
  readonly #random: Random;
  readonly #codes = new Map<string, CodeRequest & { readonly expiresAt: number }>();
  readonly #byAccess = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();
  readonly #byRefresh = new Map<string, Grant>();
  readonly #live = new Map<string, Grant>();

  constructor(random: Random) {
    this.#random = random;
  }

  authorize(request: CodeRequest, now: number): string {
    const code = this.#random.token(60);
    this.#codes.set(code, { ...request, expiresAt: now + codeLife });
    return code;
  }

  /** Deletes the code. */
  takeCode(code: string, now: number): CodeRequest | undefined {
    const request = this.#codes.get(code);
    this.#codes.delete(code);
    return request !== undefined && now < request.expiresAt ? request : undefined;
  }

  /** Ends the previous grant. */
  issue(grant: Grant, now: number): IssuedTokens {
    this.#live.set(nameOf(grant), grant);
    return this.#tokensFor(grant, now);
  }

  /** Works once. */
  refresh(refreshToken: string, app: App, now: number): IssuedTokens | undefined {
    const grant = this.#byRefresh.get(refreshToken);
    if (grant === undefined || grant.app.clientId !== app.clientId || !this.#isLive(grant)) return undefined;
    this.#byRefresh.delete(refreshToken);
    for (const [token, issued] of this.#byAccess) if (issued.grant === grant) this.#byAccess.delete(token);
    return this.#tokensFor(grant, now);
  }

  holder(accessToken: string, now: number): Grant | undefined {
    const issued = this.#byAccess.get(accessToken);
    if (issued === undefined || now >= issued.expiresAt || !this.#isLive(issued.grant)) return undefined;
    return issued.grant;
  }

  /** An unknown token is not an error. */
  revoke(token: string, app: App): void {
    const grant = this.#byAccess.get(token)?.grant ?? this.#byRefresh.get(token);
    if (grant?.app.clientId === app.clientId && this.#isLive(grant)) this.#live.delete(nameOf(grant));
  }

  get liveGrants(): readonly Grant[] {
    return [...this.#live.values()];
  }

  #isLive(grant: Grant): boolean {
    return this.#live.get(nameOf(grant)) === grant;
  }

  #tokensFor(grant: Grant, now: number): IssuedTokens {
    const accessToken = this.#random.token(90);
    this.#byAccess.set(accessToken, { grant, expiresAt: now + accessLife });
    const refreshToken = grant.scopes.includes("offline.access") ? this.#random.token(90) : undefined;
    if (refreshToken !== undefined) this.#byRefresh.set(refreshToken, grant);
    return { accessToken, expiresInSeconds: accessLife / second, refreshToken, scopes: grant.scopes };
  }
}

function nameOf(grant: Grant): string {
  return `${grant.app.clientId} ${grant.userId}`;
}

const codeLife = 30 * second;
const accessLife = 2 * hour;

export interface Registry {
  readonly apps: readonly App[];
  readonly grants: Grants;
  readonly world: World;
  readonly now: number;
}
