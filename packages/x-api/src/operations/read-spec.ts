import { createHash } from "node:crypto";
import { failed, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { type Figures, figuresByPath } from "./figures.ts";
import { withLegacyNames } from "./legacy-names.ts";
import type { SpecFile, SpecOperation, SpecParam, SpecParams, SpecRef, SpecSchema } from "./spec-file.ts";
import type {
  Answer,
  Auth,
  Body,
  Field,
  Method,
  Operation,
  PagingParam,
  Param,
  ShownResult,
  ValueRule,
} from "./types.ts";

export interface Spec {
  readonly version: string;
  /** SHA-256 of X's document, in hex. */
  readonly hash: string;
  readonly operations: readonly Operation[];
}

/** Without figures, operations have no limits or prices. */
export function readSpec(text: string, figures?: Figures): Outcome<Spec, string> {
  try {
    const spec = parse(text);
    const hash = spec.info["x-source-sha256"] ?? createHash("sha256").update(text).digest("hex");
    return ok({ version: spec.info.version, hash, operations: operationsFrom(spec, figures) });
  } catch (error) {
    if (error instanceof Unreadable) return failed(error.message);
    if (error instanceof TypeError || error instanceof RangeError)
      return failed("the file does not have the shape of X's OpenAPI document");
    throw error;
  }
}

/** Caught in this file. */
class Unreadable extends Error {}

function parse(text: string): SpecFile {
  const json = parseJson(text);
  if (json === undefined) throw new Unreadable("the file is not JSON");
  // Other members are checked when they are read.
  const spec = json as Partial<SpecFile> | null;
  if (typeof spec?.info?.version !== "string" || typeof spec.paths !== "object" || spec.paths === null)
    throw new Unreadable("the file is not an OpenAPI document: it has no info.version or no paths");
  return spec as SpecFile;
}

function operationsFrom(spec: SpecFile, figures?: Figures): Operation[] {
  const figuresOf = figures && figuresByPath(figures);
  const host = spec.servers?.[0]?.url ?? "https://api.x.com";
  const resolve = resolver(spec);

  return Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([verb, op]) => {
      if (!isOperation(op)) return [];
      const method = methodOf(verb);
      if (method === undefined)
        throw new Unreadable(`${op.operationId} is called with ${verb}, which the table cannot describe`);
      const params = paramsOf([...(methods.parameters ?? []), ...(op.parameters ?? [])], resolve);
      const body = bodyOf(op, resolve);
      const paging = pagingOf(method, params);
      return {
        id: op.operationId,
        method,
        path,
        host,
        tag: op.tags?.[0] ?? "",
        params,
        ...(body && { body }),
        answer: answerOf(method, op, resolve),
        auth: authOf(op),
        ...(paging.length > 0 && { paging }),
        ...(op["x-twitter-streaming"] === true && { streaming: true as const }),
        ...figuresOf?.(method, path),
      };
    }),
  );
}

/** A path also has parameters and other keys. */
function isOperation(part: SpecOperation | SpecParams): part is SpecOperation & { operationId: string } {
  return typeof part === "object" && "operationId" in part && part.operationId !== undefined;
}

type Resolve = <T extends object>(value: T | SpecRef) => T;

function resolver(spec: SpecFile): Resolve {
  return function resolve<T extends object>(value: T | SpecRef): T {
    if (!("$ref" in value)) return value;
    const [, , kind, name] = value.$ref.split("/");
    const found =
      kind === "parameters"
        ? spec.components?.parameters?.[name ?? ""]
        : spec.components?.schemas?.[name ?? ""];
    if (found === undefined)
      throw new Unreadable(`the OpenAPI file refers to ${value.$ref} and does not define it`);
    return resolve(found as T | SpecRef);
  };
}

/** Later parameters override earlier ones: an operation overrides its path. */
function paramsOf(params: SpecParams, resolve: Resolve): Param[] {
  const resolved = params.map((param) => resolve(param));
  const byName = new Map(resolved.map((param) => [`${param.in} ${param.name}`, param]));
  return [...byName.values()].flatMap((param) => withLegacyNames(paramOf(param, resolve)));
}

function paramOf(param: SpecParam, resolve: Resolve): Param {
  const place = param.in;
  if (place !== "path" && place !== "query" && place !== "header")
    throw new Unreadable(`parameter ${param.name} sits in ${place}, which the table cannot describe`);
  return {
    name: param.name,
    in: place,
    ...(param.required === true && { required: true as const }),
    ...ruleOf(param.schema, resolve),
  };
}

function bodyOf(op: SpecOperation, resolve: Resolve): Body | undefined {
  if (op.requestBody === undefined) return undefined;
  const content = op.requestBody.content;
  const types = (["json", "multipart"] as const).filter((t) => content[mediaType[t]] !== undefined);
  const schema = Object.values(content)[0]?.schema;
  if (types.length === 0 || schema === undefined)
    throw new Unreadable(`${op.operationId} takes a body of a kind the table cannot describe`);
  const resolved = resolve(schema);
  const anyOf = (resolved.anyOf ?? []).flatMap((choice) => resolve(choice).required ?? []);
  return {
    types,
    ...(op.requestBody.required === true && { required: true as const }),
    fields: fieldsOf(resolved, resolve),
    closed: resolved.additionalProperties === false,
    ...(anyOf.length > 0 && { anyOf }),
  };
}

const mediaType = { json: "application/json", multipart: "multipart/form-data" } as const;

function fieldsOf(schema: SpecSchema, resolve: Resolve): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, value]) => ({
    name,
    ...(schema.required?.includes(name) && { required: true as const }),
    ...ruleOf(value, resolve),
  }));
}

function ruleOf(value: SpecSchema | SpecRef, resolve: Resolve): ValueRule {
  const schema = resolve(value);
  const type = typeOf(schema, resolve);
  const fields = fieldsOf(schema, resolve);
  return {
    type,
    ...(schema.items && { items: ruleOf(schema.items, resolve) }),
    ...(fields.length > 0 && { fields }),
    ...(type === "object" && schema.additionalProperties === false && { closed: true as const }),
    ...(schema.enum && { enum: [...new Set(schema.enum)] }),
    ...(schema.pattern !== undefined && { pattern: schema.pattern }),
    ...(schema.format !== undefined && type !== "binary" && { format: schema.format }),
    ...(schema.minimum !== undefined && { min: schema.minimum }),
    ...(schema.maximum !== undefined && { max: schema.maximum }),
    ...(schema.minLength !== undefined && { minLength: schema.minLength }),
    ...(schema.maxLength !== undefined && { maxLength: schema.maxLength }),
    ...(schema.minItems !== undefined && { minItems: schema.minItems }),
    ...(schema.maxItems !== undefined && { maxItems: schema.maxItems }),
    ...(schema.uniqueItems === true && { unique: true as const }),
    ...(schema.default !== undefined && { default: schema.default }),
  };
}

function typeOf(schema: SpecSchema, resolve: Resolve): ValueRule["type"] {
  if (schema.format === "binary" || schema.format === "byte") return "binary";
  if (schema.anyOf !== undefined && schema.type === undefined) {
    const first = schema.anyOf[0];
    return first === undefined ? "object" : typeOf(resolve(first), resolve);
  }
  switch (schema.type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "array":
      return schema.type;
    default:
      return "object";
  }
}

function answerOf(method: Method, op: SpecOperation, resolve: Resolve): Answer {
  const status = op.responses?.["201"] ? 201 : 200;
  const content = op.responses?.[status]?.content ?? {};
  if (content["application/octet-stream"]) return { status, data: "bytes" };
  const schema = content["application/json"]?.schema;
  const data = schema && resolve(schema).properties?.data;
  if (data === undefined) return { status, data: "other" };
  const { type, items } = resolve(data);
  const isList = type === "array";
  const shows =
    method === "GET" ? undefined : shownResult(resolve(isList ? (items ?? {}) : data), isList, resolve);
  return { status, data: isList ? "list" : "object", ...(shows && { shows }) };
}

/** Required ids and flags, the only member, or the `id` of each element. */
function shownResult(
  { properties = {}, required = [] }: SpecSchema,
  isElement: boolean,
  resolve: Resolve,
): ShownResult | undefined {
  const names = Object.keys(properties);
  const isNeeded = (name: string) =>
    required.includes(name) || names.length === 1 || (isElement && name === "id");
  const shown = (type: string) =>
    names.filter((name) => isNeeded(name) && resolve(properties[name] ?? {}).type === type);
  const ids = shown("string").filter((name) => /(?:^|_)id$/.test(name));
  const flags = shown("boolean");
  if (ids.length + flags.length === 0) return undefined;
  return { ...(ids.length > 0 && { ids }), ...(flags.length > 0 && { flags }) };
}

function authOf(op: SpecOperation): Auth[] {
  return (op.security ?? []).flatMap((choice) =>
    Object.entries(choice).map(([scheme, scopes]): Auth => {
      switch (scheme) {
        case "BearerToken":
          return { scheme: "bearer" };
        case "UserToken":
          return { scheme: "oauth1" };
        case "OAuth2UserToken":
          return { scheme: "oauth2", scopes: [...scopes].sort() };
        default:
          throw new Unreadable(`${op.operationId} accepts ${scheme}, which the table cannot describe`);
      }
    }),
  );
}

function pagingOf(method: Method, params: readonly Param[]): PagingParam[] {
  if (method !== "GET") return [];
  return (["pagination_token", "next_token"] as const).filter((name) => params.some((p) => p.name === name));
}

function methodOf(verb: string): Method | undefined {
  const method = verb.toUpperCase();
  return method === "GET" || method === "POST" || method === "PUT" || method === "DELETE"
    ? method
    : undefined;
}
