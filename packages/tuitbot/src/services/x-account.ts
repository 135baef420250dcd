import type { Access, Clock, TokenSource } from "@toolpact/x-api";

/** Somebody's way into X: real, or of the sandbox. */
export interface XAccount {
  readonly tokens: TokenSource;
  /** What the sign-in granted; undefined where it is not known. */
  readonly scopes: () => readonly string[] | undefined;
  readonly access: Access;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
}
