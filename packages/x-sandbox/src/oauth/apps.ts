import { hashOf, Random } from "../random.ts";

/** A developer's app in X's console. */
export interface App {
  readonly id: string;
  readonly clientId: string;
  /** Undefined for public clients. */
  readonly clientSecret: string | undefined;
  readonly redirectUris: readonly string[];
  /** App-only bearer token. */
  readonly bearerToken: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Username of the developer, who pays less to read their own resources. */
  readonly owner: string;
  /** In the pay-per-use package and the production environment. */
  enrolled: boolean;
}

export interface AppSettings {
  readonly clientId: string;
  readonly confidential?: boolean;
  readonly redirectUris?: readonly string[];
  readonly owner: string;
}

/** Registers an app. Its keys are derived from the seed and stay the same after a restart. */
export function registerApp(seed: number, settings: AppSettings): App {
  const random = new Random(seed ^ hashOf(settings.clientId));
  return {
    id: String(20_000_000 + random.between(0, 9_999_999)),
    clientId: settings.clientId,
    clientSecret: settings.confidential === true ? random.token(50) : undefined,
    redirectUris: settings.redirectUris ?? defaultRedirectUris,
    bearerToken: `AAAAAAAAAAAAAAAAAAAAA${random.token(60)}`,
    consumerKey: random.token(25),
    consumerSecret: random.token(50),
    owner: settings.owner,
    enrolled: true,
  };
}

export const defaultRedirectUris = [
  "http://127.0.0.1:8080/callback",
  "http://localhost:8080/callback",
  "http://127.0.0.1:8739/callback",
] as const;
