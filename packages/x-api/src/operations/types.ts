/** One operation of X's API: structure and figures, none of its prose. */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path template, `/2/users/{id}/tweets`. */
  readonly path: string;
  readonly tag: string;
  readonly params: readonly Param[];
  readonly body?: Body;
  /** Each entry alone is enough; an empty list means no authorization is needed. */
  readonly auth: readonly Auth[];
  /** Name of the query parameters that take a paging token; X answers with `meta.next_token`. */
  readonly paging?: readonly ("pagination_token" | "next_token")[];
  readonly streaming?: true;
  readonly limits?: RateLimits;
  /** Key into the price table; absent when X publishes no price. */
  readonly price?: string;
  /** Reads of the signed-in user's own things cost less. */
  readonly ownedRead?: true;
}

export interface Param extends ValueRule {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
}

export interface Body {
  readonly type: "json" | "multipart";
  readonly required?: true;
  readonly fields: readonly Field[];
  /** False when X takes fields that it does not name. */
  readonly closed: boolean;
}

export interface Field extends ValueRule {
  readonly name: string;
  readonly required?: true;
  /** Fields of an object, or of the objects in an array. */
  readonly fields?: readonly Field[];
}

export interface ValueRule {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "binary";
  readonly items?: ValueRule;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly format?: string;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: string | number | boolean;
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
