import type { Records } from "./records.ts";

export interface Access {
  readonly subject: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly expiresAt: number;
}

/** Another process's revocation counts after this time. */
const RECHECK_MS = 5_000;
const MAX_KNOWN = 1_000;

/** Caches lookups for seconds, because one takes longer than most calls. */
export class AccessTokens {
  private readonly tokens: Recent<Access>;
  private readonly grants: Recent<true>;
  private readonly records: Records;
  private readonly now: () => number;

  constructor(records: Records, now: () => number) {
    this.records = records;
    this.now = now;
    this.tokens = new Recent(now);
    this.grants = new Recent(now);
  }

  async find(token: string, resource: string): Promise<Access | undefined> {
    const access = await this.tokens.get(token, () => this.read(token, resource));
    return access !== undefined && access.expiresAt * 1_000 > this.now() ? access : undefined;
  }

  /** False after revocation, or reuse of a code or refresh token. */
  async isGranted(grantId: string): Promise<boolean> {
    return (await this.grants.get(grantId, () => this.readGrant(grantId))) ?? false;
  }

  /** Something was revoked. */
  forget(): void {
    this.tokens.clear();
    this.grants.clear();
  }

  private async read(token: string, resource: string): Promise<Access | undefined> {
    const payload = await this.records.find("AccessToken", token);
    if (payload === undefined || payload.aud !== resource) return undefined;
    const { accountId, clientId, grantId, scope, exp } = payload;
    // A token can be stored while its grant is revoked.
    if ((await this.readGrant(String(grantId))) === undefined) return undefined;
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

  private async readGrant(grantId: string): Promise<true | undefined> {
    return (await this.records.find("Grant", grantId)) === undefined ? undefined : true;
  }
}

/** Recently found values. Missing ones are not cached. */
class Recent<Value> {
  private readonly known = new Map<
    string,
    { readonly at: number; readonly found: Promise<Value | undefined> }
  >();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const at = this.now();
    const known = this.known.get(key);
    if (known !== undefined && at - known.at < RECHECK_MS) return known.found;
    const entry = { at, found: read() };
    this.known.delete(key);
    this.known.set(key, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
    const forget = () => {
      if (this.known.get(key) === entry) this.known.delete(key);
    };
    entry.found.then((value) => value ?? forget(), forget);
    return entry.found;
  }

  clear(): void {
    this.known.clear();
  }
}
