import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { badValue } from "../http/problems.ts";
import type { JsonDraft, JsonObject } from "../json.ts";
import { hashOf } from "../random.ts";
import type { Entry, Readable } from "../world/timeline.ts";

export interface Page {
  readonly items: readonly string[];
  readonly next: string | undefined;
  readonly previous: string | undefined;
}

export interface PageRequest {
  /** A token is valid only for the list that issued it. */
  readonly scope: string;
  /** If the request has none. */
  readonly size?: number;
  readonly accept?: (item: string) => boolean;
  /** Included. */
  readonly from?: string;
  /** Excluded. */
  readonly until?: string;
}

/** Newest first. Tokens hold a key, so a walk returns every lasting item once, even if others come and go. */
export function pageOf(
  source: Readable,
  input: Input,
  request: PageRequest,
): Page | { readonly refusal: Answer } {
  const place = placeOf(input, request.scope);
  if (place !== undefined && "refusal" in place) return place;
  const limit = input.number("max_results", request.size ?? 100);
  return place?.direction === "newer"
    ? pageBefore(source, place.key, request, limit)
    : pageAfter(source, place?.key, request, limit);
}

/** Undefined without a token. */
export function placeOf(input: Input, scope: string): Place | { readonly refusal: Answer } | undefined {
  const name = input.has("pagination_token") ? "pagination_token" : "next_token";
  const token = input.optionalText(name);
  if (token === undefined) return undefined;
  const message = `The \`${name}\` query parameter value [${token}] is not valid`;
  return readToken(token, scope) ?? { refusal: badValue(name, token, message) };
}

function pageAfter(source: Readable, key: string | undefined, request: PageRequest, limit: number): Page {
  const { from, until } = request;
  const start = key === undefined || (until !== undefined && until < key) ? until : key;
  const isPast = (entry: Entry): boolean => from !== undefined && entry.key < from;
  const { found, more } = take(source.older(start), isPast, request, limit);
  return {
    items: found.map((entry) => entry.item),
    next: more ? tokenBeside("older", found.at(-1), request.scope) : undefined,
    previous: key === undefined ? undefined : tokenBeside("newer", found[0], request.scope),
  };
}

/** Newest first. */
function pageBefore(source: Readable, key: string, request: PageRequest, limit: number): Page {
  const { until } = request;
  const isPast = (entry: Entry): boolean => until !== undefined && entry.key >= until;
  const { found, more } = take(source.newer(key), isPast, request, limit);
  found.reverse();
  return {
    items: found.map((entry) => entry.item),
    next: tokenBeside("older", found.at(-1), request.scope),
    previous: more ? tokenBeside("newer", found[0], request.scope) : undefined,
  };
}

function take(
  walk: Iterable<Entry>,
  isPast: (entry: Entry) => boolean,
  { accept }: PageRequest,
  limit: number,
): { readonly found: Entry[]; readonly more: boolean } {
  const found: Entry[] = [];
  for (const entry of walk) {
    if (isPast(entry)) break;
    if (accept !== undefined && !accept(entry.item)) continue;
    if (found.length === limit) return { found, more: true };
    found.push(entry);
  }
  return { found, more: false };
}

function tokenBeside(
  direction: Place["direction"],
  entry: Entry | undefined,
  scope: string,
): string | undefined {
  return entry === undefined ? undefined : writeToken({ direction, key: entry.key }, scope);
}

export function pageMeta(page: Page, ends: "with ends" | "plain" = "plain"): JsonObject {
  const meta: JsonDraft = { result_count: page.items.length };
  const newest = page.items[0];
  const oldest = page.items.at(-1);
  if (ends === "with ends" && newest !== undefined && oldest !== undefined) {
    meta.newest_id = newest;
    meta.oldest_id = oldest;
  }
  if (page.next !== undefined) meta.next_token = page.next;
  if (page.previous !== undefined) meta.previous_token = page.previous;
  return meta;
}

interface Place {
  readonly direction: "older" | "newer";
  readonly key: string;
}

/** Two base32hex characters bind the list, one is the direction, thirteen are the key. */
export function writeToken({ direction, key }: Place, scope: string): string {
  return `${mark(scope)}${direction === "older" ? "n" : "p"}${BigInt(key).toString(32).padStart(13, "0")}`;
}

function readToken(token: string, scope: string): Place | undefined {
  const [, found, direction, digits = ""] = /^([0-9a-v]{2})([np])([0-9a-v]{13})$/.exec(token) ?? [];
  if (found !== mark(scope)) return undefined;
  let key = 0n;
  for (const digit of digits) key = key * 32n + BigInt(Number.parseInt(digit, 32));
  return { direction: direction === "n" ? "older" : "newer", key: String(key).padStart(19, "0") };
}

function mark(scope: string): string {
  return (hashOf(scope) % 1_024).toString(32).padStart(2, "0");
}
