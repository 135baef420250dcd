import type { Json, JsonObject } from "./json.ts";

export interface Fitted<T extends Json> {
  readonly value: T;
  readonly what: string;
}

const SHORTEST_TEXT = 200;
const MAX_ROUNDS = 50;

/** An object with more members is a map, not a shape with a schema. */
const MAX_MEMBERS = 40;

/** Cuts the largest lists, maps and texts until the JSON fits. Shapes stay, so the value still matches its schema. */
export function fit<T extends Json>(value: T, maxBytes: number): Fitted<T> | undefined {
  const cuts = new Map<string, Shortened>();
  let current: Json = value;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const excess = bytes(current) - maxBytes;
    // Only lists, maps and texts became shorter.
    if (excess <= 0) return { value: current as T, what: describeCuts(cuts) };
    const place = largest(current, maxBytes);
    if (place === undefined) return undefined;
    const shorter = shorten(place.value, excess);
    const name = place.path.join(".");
    const of = typeof shorter === "string" ? "characters" : isList(shorter) ? "items" : "entries";
    cuts.set(name, { from: cuts.get(name)?.from ?? lengthOf(place.value), to: lengthOf(shorter), of });
    current = replace(current, place.path, shorter);
  }
  return undefined;
}

interface Shortened {
  readonly from: number;
  readonly to: number;
  readonly of: string;
}

function describeCuts(cuts: ReadonlyMap<string, Shortened>): string {
  return [...cuts]
    .map(([name, { from, to, of }]) => `${name || "the answer"}: the first ${to} of ${from} ${of}`)
    .join("; ");
}

type Path = readonly (string | number)[];
type Cuttable = string | readonly Json[] | JsonObject;

interface Place {
  readonly path: Path;
  readonly value: Cuttable;
}

/** Follows the heaviest branch down to a long list or text. */
function largest(value: Json, maxBytes: number, path: Path = []): Place | undefined {
  if (typeof value === "string") return value.length > SHORTEST_TEXT ? { path, value } : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (isList(value) && value.length > 1 && bytes(value[0] ?? null) < maxBytes) return { path, value };
  const branches: [string | number, Json][] = isList(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value).map(([key, member]) => [key, member ?? null]);
  const heaviestFirst = branches
    .map(([key, member]) => ({ key, member, size: bytes(member) }))
    .sort((a, b) => b.size - a.size);
  const isTable = !isList(value) && branches.length > MAX_MEMBERS;
  // Cut a heavy member rather than the ones after it.
  if (isTable && (heaviestFirst[0]?.size ?? 0) * 2 < bytes(value))
    return { path, value: value as JsonObject };
  for (const { key, member } of heaviestFirst) {
    const place = largest(member, maxBytes, [...path, key]);
    if (place !== undefined) return place;
  }
  return undefined;
}

function shorten(value: Cuttable, excess: number): Cuttable {
  if (typeof value === "string") {
    const size = bytes(value);
    const keep = Math.floor((value.length * Math.max(0, size - excess)) / size);
    return wholeCharacters(value, Math.max(SHORTEST_TEXT / 2, Math.min(keep, value.length - 1)));
  }
  if (!isList(value)) {
    const entries = Object.entries(value).map(([key, member]): Json => [key, member ?? null]);
    // A pair takes two more bytes than an entry, so a second round may follow.
    return Object.fromEntries(shorten(entries, excess) as readonly [string, Json][]);
  }
  let kept = value.length;
  for (let freed = 0; kept > 1 && freed < excess; kept--) freed += bytes(value[kept - 1] ?? null) + 1;
  return value.slice(0, kept);
}

function lengthOf(value: Cuttable): number {
  return typeof value === "string" || isList(value) ? value.length : Object.keys(value).length;
}

function wholeCharacters(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}

function replace(value: Json, path: Path, shorter: Json): Json {
  const [head, ...rest] = path;
  if (head === undefined) return shorter;
  if (isList(value))
    return value.map((item, index) => (index === head ? replace(item, rest, shorter) : item));
  const object = value as JsonObject;
  return { ...object, [head]: replace(object[head] ?? null, rest, shorter) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function bytes(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}
