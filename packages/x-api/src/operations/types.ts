/** Structure and figures, without prose. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** Such as `/2/users/{id}/tweets`. */
  readonly path: string;
  /** Such as `https://api.x.com`. */
  readonly host: string;
  readonly tag: string;
  readonly params: readonly Param[];
  readonly body?: Body;
  readonly answer: Answer;
  /** Any one is enough; empty for none. */
  readonly auth: readonly Auth[];
  /** They take X's `meta.next_token`. */
  readonly paging?: readonly PagingParam[];
  readonly streaming?: true;
  readonly limits?: RateLimits;
  /** In the price table; absent if unpublished. */
  readonly price?: string;
  /** True if the user's own resources are cheaper. */
  readonly ownedRead?: true;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type PagingParam = "pagination_token" | "next_token";

export interface Param extends ValueRule {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  /** See `legacy-names.ts`. */
  readonly legacy?: true;
}

export interface Body {
  /** Preferred first. */
  readonly types: readonly ("json" | "multipart")[];
  readonly required?: true;
  readonly fields: readonly Field[];
  readonly closed: boolean;
  /** At least one is required. */
  readonly anyOf?: readonly string[];
}

export interface Field extends ValueRule {
  readonly name: string;
  readonly required?: true;
}

export interface ValueRule {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "binary";
  readonly items?: ValueRule;
  readonly fields?: readonly Field[];
  /** Allows only `fields`. */
  readonly closed?: true;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly format?: string;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: true;
  readonly default?: string | number | boolean | readonly string[];
}

export interface Answer {
  readonly status: 200 | 201;
  /** X leaves out an empty list. */
  readonly data: "list" | "object" | "bytes" | "other";
  /** For writes. */
  readonly shows?: ShownResult;
}

/** Members by which a write shows its result. */
export interface ShownResult {
  /** Non-empty strings. */
  readonly ids?: readonly string[];
  /** At least one is present. */
  readonly flags?: readonly string[];
}

export type Auth =
  | { readonly scheme: "bearer" }
  | { readonly scheme: "oauth1" }
  | { readonly scheme: "oauth2"; readonly scopes: readonly string[] };

export interface RateLimits {
  readonly app?: readonly Window[];
  readonly user?: readonly Window[];
}

export interface Window {
  readonly limit: number;
  readonly seconds: number;
}

/** US dollars by price class. */
export interface PriceTable {
  /** When X published them. */
  readonly asOf: string;
  readonly perResource: Readonly<Record<string, number>>;
  readonly perRequest: Readonly<Record<string, number>>;
  readonly perActivityEvent: Readonly<Record<string, number>>;
  readonly ownedRead: number;
  readonly monthlyPostReads: number;
}
