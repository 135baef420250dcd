import type { Records } from "./records.ts";

/** A valid access token. */
export interface Access {
  readonly subject: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** In seconds. */
  readonly expiresAt: number;
}

/** A revocation by another process counts after this time; by this process at once. */
const RECHECK_MS = 5_000;
const MAX_KNOWN = 1_000;

/** Finds access tokens, and remembers them for a few seconds: a lookup takes longer than most calls. */
export class AccessTokens {
  private readonly known = new Map<
    string,
    { readonly at: number; readonly found: Promise<Access | undefined> }
  >();
  private readonly records: Records;
  private readonly now: () => number;

  constructor(records: Records, now: () => number) {
    this.records = records;
    this.now = now;
  }

  async find(token: string, resource: string): Promise<Access | undefined> {
    const at = this.now();
    const known = this.known.get(token);
    const isFresh = known !== undefined && at - known.at < RECHECK_MS;
    const found = isFresh ? known.found : this.read(token, resource);
    if (!isFresh) this.remember(token, { at, found });
    const access = await found;
    return access !== undefined && access.expiresAt * 1_000 > at ? access : undefined;
  }

  /** Forgets all tokens, since some were revoked. */
  forget(): void {
    this.known.clear();
  }

  private remember(
    token: string,
    entry: { readonly at: number; readonly found: Promise<Access | undefined> },
  ): void {
    this.known.delete(token);
    this.known.set(token, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
    const forget = () => {
      if (this.known.get(token) === entry) this.known.delete(token);
    };
    entry.found.then((access) => access ?? forget(), forget);
  }

  private async read(token: string, resource: string): Promise<Access | undefined> {
    const payload = await this.records.find("AccessToken", token);
    if (payload === undefined || payload.aud !== resource) return undefined;
    const { accountId, clientId, grantId, scope, exp } = payload;
    return {
      subject: String(accountId),
      clientId: String(clientId),
      grantId: String(grantId),
      scopes: String(scope ?? "")
        .split(" ")
        .filter(Boolean),
      expiresAt: Number(exp),
    };
  }
}
