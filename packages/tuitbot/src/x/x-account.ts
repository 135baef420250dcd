import type { Access, Clock, TokenSource } from "@toolpact/x-api";
import type { OAuth1Keys } from "./toolkit/oauth1.ts";

/** Somebody's way into X: real, or of the sandbox. */
export interface XAccount {
  readonly tokens: TokenSource;
  /** What the sign-in granted; undefined where it is not known. */
  readonly scopes: () => readonly string[] | undefined;
  readonly access: Access;
  /** For the Ads API. */
  readonly adsKeys?: OAuth1Keys | undefined;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
}
