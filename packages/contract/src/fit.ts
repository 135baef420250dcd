import type { Json, JsonObject } from "./json.ts";

/** A value cut to fit, and what was left out. */
export interface Fitted {
  readonly value: Json;
  readonly what: string;
}

const SHORTEST_STRING = 200;

/**
 * Cuts the largest lists and texts of a value until its JSON is at most `maxBytes`, or answers undefined where
 * lists and texts are not what makes it large. Shapes stay as they are, so the value still fits its schema.
 */
export function fit(value: Json, maxBytes: number): Fitted | undefined {
  const said: string[] = [];
  let current = value;
  for (let round = 0; round < 50; round++) {
    const size = bytes(current);
    if (size <= maxBytes) return { value: current, what: said.join("; ") };
    const place = largest(current, maxBytes);
    if (place === undefined) return undefined;
    const [shorter, what] = shorten(place, size - maxBytes);
    said.push(what);
    current = replace(current, place.path, shorter);
  }
  return undefined;
}

type Path = readonly (string | number)[];

interface Place {
  readonly path: Path;
  readonly value: string | readonly Json[];
}

/** The place worth cutting: the heaviest branch, followed down to a list of many or a long text. */
function largest(value: Json, maxBytes: number, path: Path = []): Place | undefined {
  if (typeof value === "string") return value.length > SHORTEST_STRING ? { path, value } : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (isList(value) && value.length > 1 && bytes(value[0] ?? null) < maxBytes) return { path, value };
  const branches: [string | number, Json][] = isList(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value).map(([key, member]) => [key, member ?? null]);
  const heaviestFirst = branches
    .map(([key, member]) => ({ key, member, size: bytes(member) }))
    .sort((a, b) => b.size - a.size);
  for (const { key, member } of heaviestFirst) {
    const place = largest(member, maxBytes, [...path, key]);
    if (place !== undefined) return place;
  }
  return undefined;
}

function shorten({ path, value }: Place, excess: number): [Json, string] {
  const name = path.length === 0 ? "the answer" : path.join(".");
  if (typeof value === "string") {
    // Cutting by code points keeps the text valid; four bytes is the most one takes.
    const points = Array.from(value);
    const keep = Math.max(
      SHORTEST_STRING / 2,
      Math.min(points.length - 1, points.length - Math.ceil(excess / 4)),
    );
    return [points.slice(0, keep).join(""), `${name}: the first ${keep} of ${points.length} characters`];
  }
  let kept = value.length;
  for (let freed = 0; kept > 1 && freed < excess; kept--) freed += bytes(value[kept - 1] ?? null) + 1;
  return [value.slice(0, kept), `${name}: the first ${kept} of ${value.length} items`];
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
