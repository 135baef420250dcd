import { priceRules } from "./price-rules.ts";
import type { Operation, PriceTable, RateLimits } from "./types.ts";

/** Not in X's OpenAPI document. */
export interface Figures {
  readonly limits: RateLimitFile["limits"];
  readonly pricing: PricingFile;
}

/** One row per method and path. */
export interface RateLimitFile {
  readonly limits: readonly {
    readonly method: string;
    readonly path: string;
    readonly per_app: readonly { readonly limit: number; readonly window_s: number }[] | null;
    readonly per_user: readonly { readonly limit: number; readonly window_s: number }[] | null;
  }[];
}

export interface PricingFile {
  readonly source: string;
  readonly read_per_resource: Readonly<Record<string, number>>;
  readonly write_per_request: Readonly<Record<string, number>>;
  readonly activity_event: Readonly<Record<string, number>>;
  readonly owned_read_per_resource: number;
  readonly owned_read_endpoints: readonly string[];
  readonly monthly_post_read_cap: number;
}

/** By method and path. */
export function figuresByPath({
  limits,
  pricing,
}: Figures): (method: string, path: string) => Pick<Operation, "limits" | "price" | "ownedRead"> {
  const limitsAt = new Map(limits.map((row) => [shape(row.method, row.path), limitsOf(row)]));
  const pricesAt = new Map(
    Object.entries(priceRules).flatMap(([price, rows]) => rows.map((row) => [row, price] as const)),
  );
  const owned = new Set(pricing.owned_read_endpoints.map((row) => shape(...methodAndPath(row))));
  return (method, path) => {
    const key = shape(method, path);
    const window = limitsAt.get(key);
    const price = pricesAt.get(key);
    return {
      ...(window && { limits: window }),
      ...(price !== undefined && { price }),
      ...(owned.has(key) && { ownedRead: true as const }),
    };
  };
}

export function pricesFrom(file: PricingFile): PriceTable {
  return {
    asOf: /\d{4}-\d{2}-\d{2}/.exec(file.source)?.[0] ?? "unknown",
    perResource: keyed(file.read_per_resource),
    perRequest: keyed(file.write_per_request),
    perActivityEvent: file.activity_event,
    ownedRead: file.owned_read_per_resource,
    monthlyPostReads: file.monthly_post_read_cap,
  };
}

/** "Post: Create (with URL)" → `post_create_with_url` */
function keyed(rows: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, usd]) => [
      name
        .toLowerCase()
        .replaceAll(/[^a-z]+/g, "_")
        .replace(/_$/, ""),
      usd,
    ]),
  );
}

function limitsOf(row: RateLimitFile["limits"][number]): RateLimits {
  const windows = (list: readonly { limit: number; window_s: number }[]) =>
    list.map(({ limit, window_s }) => ({ limit, seconds: window_s }));
  return {
    ...(row.per_app && { app: windows(row.per_app) }),
    ...(row.per_user && { user: windows(row.per_user) }),
  };
}

/** `GET /2/users/{id}/tweets` and `GET /2/users/:user_id/tweets` have the same shape. */
function shape(method: string, path: string): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}|:[a-z_]+/g, "{}")}`;
}

function methodAndPath(row: string): [string, string] {
  const space = row.indexOf(" ");
  return [row.slice(0, space), row.slice(space + 1)];
}
