/** One operation of X's API: structure and figures, none of its prose. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** Path template, `/2/users/{id}/tweets`. */
  readonly path: string;
  /** Origin from X's specification, `https://api.x.com`. */
  readonly host: string;
  readonly tag: string;
  readonly params: readonly Param[];
  readonly body?: Body;
  readonly answer: Answer;
  /** Any single entry is enough; an empty list means no authorization. */
  readonly auth: readonly Auth[];
  /** Query parameters that take a paging token; X answers with `meta.next_token`. */
  readonly paging?: readonly PagingParam[];
  readonly streaming?: true;
  readonly limits?: RateLimits;
  /** Key in the price table; absent if X publishes no price. */
  readonly price?: string;
  /** True if reads of the signed-in user's own resources are cheaper. */
  readonly ownedRead?: true;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type PagingParam = "pagination_token" | "next_token";

export interface Param extends ValueRule {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  /** A former name X still accepts (`legacy-names.ts`). */
  readonly legacy?: true;
}

export interface Body {
  /** Accepted body types, preferred first. */
  readonly types: readonly ("json" | "multipart")[];
  readonly required?: true;
  readonly fields: readonly Field[];
  /** False if X accepts unnamed fields. */
  readonly closed: boolean;
  /** At least one of these is required. */
  readonly anyOf?: readonly string[];
}

export interface Field extends ValueRule {
  readonly name: string;
  readonly required?: true;
}

export interface ValueRule {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "binary";
  /** The constraint of the elements of an array. */
  readonly items?: ValueRule;
  /** Fields of an object. */
  readonly fields?: readonly Field[];
  /** True if the object allows only `fields`. */
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
  /** X's default value. */
  readonly default?: string | number | boolean | readonly string[];
}

export interface Answer {
  readonly status: 200 | 201;
  /** Shape of `data`: a list (left out by X when empty), one object, raw bytes, or its own shape. */
  readonly data: "list" | "object" | "bytes" | "other";
  /** For writes: the members a success needs to show its result. */
  readonly shows?: ShownResult;
}

/** The members of `data`, or of each list element, by which a write shows its result. */
export interface ShownResult {
  /** Ids: non-empty strings. */
  readonly ids?: readonly string[];
  /** Booleans: at least one is present. */
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

/** X's prices in US dollars. Keys are the price classes in an operation's `price`. */
export interface PriceTable {
  /** The day the prices were read from X. */
  readonly asOf: string;
  readonly perResource: Readonly<Record<string, number>>;
  readonly perRequest: Readonly<Record<string, number>>;
  readonly perActivityEvent: Readonly<Record<string, number>>;
  readonly ownedRead: number;
  readonly monthlyPostReads: number;
}
