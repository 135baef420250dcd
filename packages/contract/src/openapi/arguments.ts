import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { inDetail } from "./detail.ts";
import type { OpenApiDocument } from "./document.ts";
import { isList, textOf } from "./json-limits.ts";
import type { Operation } from "./operations.ts";
import { type Conversion, MAX_SCHEMAS, plain, shapeOf, zodOf } from "./schemas.ts";
import { cut, unique } from "./wording.ts";

export interface Argument {
  readonly name: string;
  readonly place: "path" | "query" | "header" | "body" | "member";
  /** In the API; empty for a whole body. */
  readonly key: string;
  /** How lists and objects are written; `json` if the parameter has a media type. */
  readonly style: string;
  readonly explode: boolean;
  readonly isBinary: boolean;
}

/** The flat arguments, and the body's type. */
export interface OperationInput {
  readonly schema: z.ZodObject;
  readonly arguments: readonly Argument[];
  readonly body: BodyType | undefined;
}

export interface BodyType {
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly contentType: string;
  /** Sent even without arguments. */
  readonly isRequired: boolean;
}

/** About 2,000 tokens: more detail costs every conversation more than it helps. */
const MAX_BYTES = 8_000;
const DEEPEST = 6;
const MAX_ARGUMENTS = 100;

/** Set by us, fetch or the operator; OpenAPI ignores the first three. */
const OWN_HEADERS =
  /^(accept|content-type|authorization|host|content-length|connection|cookie|origin|transfer-encoding|upgrade|te|trailer|expect|proxy-.*|sec-.*)$/i;

/** In as much detail as fits; or why it cannot be called. */
export function inputOf(
  document: OpenApiDocument,
  operation: Operation,
  reserved: readonly string[],
): Outcome<OperationInput, string> {
  return inDetail(
    (depth) => inputAt(document, operation, reserved, depth),
    (input) => (input.ok ? input.value.schema : z.null()),
    { direction: "input", bytes: MAX_BYTES, deepest: DEEPEST },
  );
}

function inputAt(
  document: OpenApiDocument,
  { parameters, definition, path }: Operation,
  reserved: readonly string[],
  depth: number,
): Outcome<OperationInput, string> {
  const at: Conversion = { document, direction: "input", left: MAX_SCHEMAS.input, problems: [] };
  const shape: Record<string, z.ZodType> = {};
  const all: Argument[] = [];
  const taken = new Set<string>();
  const add = (argument: Omit<Argument, "name">, type: z.ZodType, isRequired: boolean) => {
    const name = argumentName(argument, taken);
    const about = type.description ?? defaultDescription(argument);
    shape[name] = isRequired ? type.describe(about) : type.describe(about).optional();
    all.push({ ...argument, name });
  };

  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const declared = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const undeclared = inPath.find((name) => !declared.includes(name));
  if (undeclared !== undefined) return failed(`its path has {${undeclared}}, which is no parameter of it`);

  for (const parameter of parameters) {
    const key = textOf(parameter.name);
    const place = parameter.in;
    if (place === "path" ? !inPath.includes(key) : reserved.includes(key.toLowerCase())) continue;
    if (place === "header" && OWN_HEADERS.test(key)) continue;
    const isRequired = place === "path" || parameter.required === true;
    if (place !== "path" && place !== "query" && place !== "header") {
      if (isRequired) return failed(`it needs a parameter in a ${textOf(place)}, which is not supported`);
      continue;
    }
    if (place === "header" && !/^[!#$%&'*+.^_`|~\w-]+$/.test(key))
      return failed("it has a header parameter whose name is no name of a header");
    const content = isJsonObject(parameter.content) ? Object.values(parameter.content)[0] : undefined;
    const schema = isJsonObject(content) ? content.schema : parameter.schema;
    const style =
      content !== undefined ? "json" : textOf(parameter.style) || (place === "query" ? "form" : "simple");
    if (place !== "query" && style !== "json" && style !== "simple")
      return failed(`it has a parameter in the style ${cut(style, 40)}, which is not supported`);
    const explode = typeof parameter.explode === "boolean" ? parameter.explode : style === "form";
    const type = withDescription(zodOf(schema, at, depth), parameter.description);
    add({ place, key, style, explode, isBinary: false }, type, isRequired);
  }

  const body = bodyOf(document, definition.requestBody);
  if (!body.ok) return body;
  if (body.value !== undefined) addBody(body.value, at, depth, add);
  if (at.problems.length > 0) return failed(at.problems[0] ?? "");
  if (all.length > MAX_ARGUMENTS)
    return failed(`it has ${all.length} arguments; no more than ${MAX_ARGUMENTS} are taken`);
  return ok({ schema: z.strictObject(shape), arguments: all, body: body.value?.type });
}

interface Body {
  readonly type: BodyType;
  readonly schema: Json | undefined;
  readonly description: Json | undefined;
}

type Add = (argument: Omit<Argument, "name">, type: z.ZodType, isRequired: boolean) => void;

/** Merges an object's members with the other arguments; any other body is one argument. */
function addBody({ type, schema, description }: Body, at: Conversion, depth: number, add: Add): void {
  const whole = plain(schema, at, 0) ?? {};
  const required = isList(whole.required) ? whole.required : [];
  const isObjectAlone = isJsonObject(whole.properties) && !("oneOf" in whole) && !("anyOf" in whole);
  const canBeFlat = isObjectAlone && (type.isRequired || required.length === 0);
  const mustBeFlat = type.kind === "form" || type.kind === "multipart";
  const argument = { key: "", style: "json", explode: false };
  if (!(canBeFlat || (mustBeFlat && isObjectAlone))) {
    const isBinary = type.kind === "binary";
    const plainText = type.kind === "text" || isBinary;
    const value = plainText ? z.string() : zodOf(schema, at, depth);
    const about = isBinary ? `The body of the request, in Base64. ${textOf(description)}` : description;
    add({ ...argument, place: "body", isBinary }, withDescription(value, about), type.isRequired);
    return;
  }
  for (const [key, value] of Object.entries(shapeOf(whole, at, depth))) {
    const member = plain((whole.properties as JsonObject)[key], at, 0);
    const isBinary = type.kind === "multipart" && isBinaryText(member);
    const content = isBinary
      ? z.string().describe(cut(`Content of a file, in Base64. ${textOf(member?.description)}`, 300))
      : value instanceof z.ZodOptional
        ? (value.unwrap() as z.ZodType)
        : value;
    add({ ...argument, place: "member", key, isBinary }, content, required.includes(key));
  }
}

function isBinaryText(schema: JsonObject | undefined): boolean {
  return schema?.format === "binary" || textOf(schema?.contentMediaType) === "application/octet-stream";
}

function bodyOf(document: OpenApiDocument, part: Json | undefined): Outcome<Body | undefined, string> {
  if (part === undefined) return ok(undefined);
  const resolved = document.resolve(part);
  if (!resolved.ok) return resolved;
  const { content, required, description } = resolved.value;
  const types = isJsonObject(content) ? Object.entries(content) : [];
  for (const [kind, pattern] of BODY_KINDS) {
    const found = types.find(([type]) => pattern.test(type));
    if (found === undefined) continue;
    const [name, media] = found;
    const contentType = name.includes("*") ? "application/json" : name;
    return ok({
      type: { kind, contentType, isRequired: required === true },
      schema: isJsonObject(media) ? media.schema : undefined,
      description,
    });
  }
  if (types.length === 0 || required !== true) return ok(undefined);
  return failed(`its body has the type ${cut(types[0]?.[0] ?? "", 60)}, which is not supported`);
}

const BODY_KINDS: readonly (readonly [BodyType["kind"], RegExp])[] = [
  ["json", /^(application\/json|application\/[\w.+-]+\+json|\*\/\*)\s*(;[\x20-\x7e]*)?$/i],
  ["form", /^application\/x-www-form-urlencoded$/i],
  ["multipart", /^multipart\/form-data$/i],
  ["text", /^text\/(plain|markdown|csv|html)$/i],
  ["binary", /^(application\/octet-stream|image\/[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+)$/i],
];

/** A unique name that clients accept; the API's own if valid. */
function argumentName({ key, place }: Omit<Argument, "name">, taken: Set<string>): string {
  const own = (key || "body").replace(/[^a-zA-Z0-9_.-]+/g, "_").replace(/(?<=.)_$/, "");
  return unique(taken.has(own) ? `${place === "member" ? "body" : place}_${own}` : own, taken);
}

function withDescription(type: z.ZodType, text: Json | undefined): z.ZodType {
  const description = cut(textOf(text), 300);
  return description === "" ? type : type.describe(description);
}

function defaultDescription({ place, key }: Omit<Argument, "name">): string {
  if (place === "body") return "The body of the request";
  return place === "member" ? `${key}, in the body` : `${key}, in the ${place}`;
}
