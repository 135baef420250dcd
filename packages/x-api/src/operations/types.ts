/** One operation of X's API: structure and figures, none of its prose. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** Path template, `/2/users/{id}/tweets`. */
  readonly path: string;
  /** Origin that X's own specification names, `https://api.x.com`. */
  readonly host: string;
  readonly tag: string;
  readonly params: readonly Param[];
  readonly body?: Body;
  readonly answer: Answer;
  /** Each entry alone is enough; an empty list means no authorization is needed. */
  readonly auth: readonly Auth[];
  /** Names of the query parameters that take a paging token; X answers with `meta.next_token`. */
  readonly paging?: readonly PagingParam[];
  readonly streaming?: true;
  readonly limits?: RateLimits;
  /** Key into the price table; absent when X publishes no price. */
  readonly price?: string;
  /** The lower price for reads of the signed-in user's own things applies here. */
  readonly ownedRead?: true;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type PagingParam = "pagination_token" | "next_token";

export interface Param extends ValueRule {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  /** A name X still takes though its specification has renamed it (`legacy-names.ts`). */
  readonly legacy?: true;
}

export interface Body {
  /** How the body may be sent, first choice first. */
  readonly types: readonly ("json" | "multipart")[];
  readonly required?: true;
  readonly fields: readonly Field[];
  /** False when X takes fields that it does not name. */
  readonly closed: boolean;
  /** At least one of these must be there. */
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
  /** The object takes no field beyond `fields`. */
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
  /** For writes: the members without which a success does not say what was done. */
  readonly shows?: ShownResult;
}

/** The members of `data`, or of each element of a list, by which a write shows its result. */
export interface ShownResult {
  /** Ids: strings that are not empty. */
  readonly ids?: readonly string[];
  /** Booleans: at least one of them is there. */
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
  /** Day on which the prices were read from X. */
  readonly asOf: string;
  readonly perResource: Readonly<Record<string, number>>;
  readonly perRequest: Readonly<Record<string, number>>;
  readonly perActivityEvent: Readonly<Record<string, number>>;
  readonly ownedRead: number;
  readonly monthlyPostReads: number;
}
