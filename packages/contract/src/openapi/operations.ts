import { nearest } from "@toolpact/cli/nearest";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { quote } from "../bad-input.ts";
import type { Effect } from "../effects.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { OpenApiDocument } from "./document.ts";
import { isList, textOf } from "./json-limits.ts";
import { snakeCase } from "./wording.ts";

/** For guards and the manifest. */
export interface OpenApiFacts {
  /** The operationId, or else method and path. */
  readonly operation: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly tags: readonly string[];
}

/** Selects operations that match every member. */
export interface OperationFilter {
  readonly tags?: readonly string[];
  /** Case-insensitive. */
  readonly methods?: readonly string[];
  readonly ids?: readonly string[];
}

/** With what it inherits from its path. */
export interface Operation extends OpenApiFacts {
  readonly definition: JsonObject;
  /** Those of the path come first, as in the document. */
  readonly parameters: readonly JsonObject[];
}

export interface Skipped {
  readonly operation: string;
  readonly why: string;
}

/** Other methods are not API operations. */
export const EFFECT_OF_METHOD: Readonly<Record<string, Effect>> = {
  GET: "none",
  HEAD: "none",
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

const MAX_OPERATIONS = 2_000;

export interface FoundOperations {
  readonly operations: readonly Operation[];
  readonly skipped: readonly Skipped[];
}

export function operationsOf(
  document: OpenApiDocument,
  filter: OperationFilter,
): Outcome<FoundOperations, string> {
  const skipped: Skipped[] = [];
  const all: Operation[] = [];
  for (const [path, item] of Object.entries(document.root.paths as JsonObject)) {
    const resolved = document.resolve(item);
    if (!resolved.ok) {
      skipped.push({ operation: path, why: resolved.failure });
      continue;
    }
    for (const [word, definition] of Object.entries(resolved.value)) {
      const method = word.toUpperCase();
      if (!Object.hasOwn(EFFECT_OF_METHOD, method)) continue;
      const operation = isJsonObject(definition)
        ? operationOf(document, path, method, resolved.value, definition)
        : failed({ operation: `${method} ${path}`, why: "its definition is not an object" });
      if (operation.ok) all.push(operation.value);
      else skipped.push(operation.failure);
    }
  }
  if (all.length > MAX_OPERATIONS)
    return failed(`The document has ${all.length} operations; no more than ${MAX_OPERATIONS} are read.`);
  const wrong = unknownWord(filter, all);
  if (wrong !== undefined) return failed(wrong);
  const methods = filter.methods?.map((method) => method.toUpperCase());
  const operations = all.filter(
    ({ operation, method, tags }) =>
      (filter.ids?.includes(operation) ?? true) &&
      (methods?.includes(method) ?? true) &&
      (filter.tags === undefined || tags.some((tag) => filter.tags?.includes(tag))),
  );
  return ok({ operations, skipped });
}

function operationOf(
  document: OpenApiDocument,
  path: string,
  method: string,
  item: JsonObject,
  definition: JsonObject,
): Outcome<Operation, Skipped> {
  const operation = textOf(definition.operationId) || `${method} ${path}`;
  const byPlace = new Map<string, JsonObject>();
  for (const part of [...listOf(item.parameters), ...listOf(definition.parameters)]) {
    const parameter = document.resolve(part);
    if (!parameter.ok) return failed({ operation, why: parameter.failure });
    const { name, in: place } = parameter.value;
    if (typeof name !== "string" || typeof place !== "string")
      return failed({ operation, why: "one of its parameters has no name or no place" });
    byPlace.set(`${place} ${name}`, parameter.value);
  }
  const tags = listOf(definition.tags).filter((tag) => typeof tag === "string");
  return ok({ operation, method, path, tags, definition, parameters: [...byPlace.values()] });
}

/** An unknown name would silently drop operations. */
function unknownWord({ tags = [], ids = [], methods = [] }: OperationFilter, all: readonly Operation[]) {
  const knownIds = all.map(({ operation }) => operation);
  const knownTags = [...new Set(all.flatMap((operation) => operation.tags))];
  const found = (
    [
      ["operation", ids, knownIds],
      ["tag", tags, knownTags],
      ["method", methods.map((method) => method.toUpperCase()), Object.keys(EFFECT_OF_METHOD)],
    ] as const
  ).flatMap(([what, words, known]) =>
    words.filter((word) => !known.includes(word)).map((word) => ({ what, word, known })),
  )[0];
  return found === undefined ? undefined : unknownName(found.what, found.word, found.known);
}

export function unknownName(what: string, word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return `The document has no ${what} ${quote(word)}.${guess === undefined ? "" : ` Did you mean ${quote(guess)}?`}`;
}

/** Not unique yet. */
export function toolNameOf({ operation, method, path }: Operation, prefix: string): string {
  const words = snakeCase(operation) || snakeCase(`${method} ${path}`) || method.toLowerCase();
  const name = `${prefix}${words}`;
  return /^[a-z]/.test(name) ? name : `op_${name}`;
}

function listOf(value: unknown): readonly never[] {
  // Only lists have members, which are checked before use.
  return isList(value as never) ? (value as readonly never[]) : [];
}
