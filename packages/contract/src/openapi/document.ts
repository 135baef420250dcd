import { failed, type Outcome, ok } from "@toolpact/outcome";
import { quote } from "../bad-input.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { overgrown } from "./json-limits.ts";

/** Parsed and within limits. */
export interface OpenApiDocument {
  readonly root: JsonObject;
  /** Follows a `$ref` within the document. */
  readonly resolve: (part: Json | undefined) => Outcome<JsonObject, string>;
}

const MAX_CHARACTERS = 20_000_000;
const LIMITS = { depth: 100, values: 1_000_000 };
const MAX_HOPS = 32;

/** From JSON, YAML or an object. Fails with a sentence. */
export async function readDocument(source: string | JsonObject): Promise<Outcome<OpenApiDocument, string>> {
  const parsed = typeof source === "string" ? await parse(source) : ok(source);
  if (!parsed.ok) return parsed;
  const root = parsed.value;
  const tooMuch = overgrown(root, LIMITS);
  if (tooMuch !== undefined) return failed(`The document ${tooMuch}.`);
  if (!isJsonObject(root)) return failed("The document is not an object.");
  const { openapi, swagger, paths } = root;
  if (swagger !== undefined)
    return failed("The document is of Swagger 2.0. Convert it to OpenAPI 3.0 or 3.1 first.");
  if (typeof openapi !== "string" || !/^3\.[01](\.|$)/.test(openapi))
    return failed(
      `The document says openapi: ${quote(JSON.stringify(openapi ?? null))}; 3.0 and 3.1 can be read.`,
    );
  if (!isJsonObject(paths)) return failed("The document has no paths.");
  return ok({ root, resolve: (part) => resolve(root, part) });
}

async function parse(text: string): Promise<Outcome<Json, string>> {
  if (text.length > MAX_CHARACTERS)
    return failed(
      `The document has ${text.length} characters; no more than ${MAX_CHARACTERS} are read. Leave out what you do not need.`,
    );
  try {
    if (/^\s*[{[]/.test(text)) return ok(JSON.parse(text));
    const { parse: parseYaml } = await import("yaml");
    // As text, YAML names equal JSON's. Nested aliases are rejected.
    return ok(parseYaml(text, { maxAliasCount: 100, logLevel: "error" }));
  } catch (error) {
    // Both parsers' first line names the position.
    const [why = ""] = (error as Error).message.split("\n");
    return failed(`The document is neither JSON nor YAML: ${why.replace(/[.:]$/, "")}.`);
  }
}

function resolve(root: JsonObject, part: Json | undefined): Outcome<JsonObject, string> {
  let current: Json | undefined = part;
  let siblings: JsonObject = {};
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isJsonObject(current)) return failed("something that has to be an object is none");
    const { $ref, ...others } = current;
    if (typeof $ref !== "string") return ok({ ...current, ...siblings });
    if (!$ref.startsWith("#"))
      return failed(`it refers to ${quote($ref)}, and nothing outside the document is read`);
    siblings = { ...others, ...siblings };
    current = at(root, $ref.slice(1));
    if (current === undefined) return failed(`it refers to ${quote($ref)}, which is not in the document`);
  }
  return failed("its references lead in a circle");
}

function at(root: JsonObject, pointer: string): Json | undefined {
  let current: Json | undefined = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    // Members of JSON are JSON.
    current = (current as JsonObject)[name];
  }
  return current;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
