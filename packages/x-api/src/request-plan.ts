import { randomUUID } from "node:crypto";
import { failed, isJsonObject, type Outcome, ok } from "@toolpact/outcome";
import type { ProviderError } from "./errors.ts";
import { type Field, type Operation, type OperationId, operations, type Param } from "./operations/index.ts";
import type { TokenKind } from "./tokens.ts";
import { checkFor, type Fault, fieldsCheck } from "./value-check.ts";

export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

/** By place in the request, in X's snake_case. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Everything that does not depend on the arguments. */
export interface RequestPlan {
  readonly id: OperationId;
  readonly operation: Operation;
  /** Preferred first; empty if none is needed. */
  readonly tokens: readonly TokenKind[];
  /** For a user token. */
  readonly scopes: readonly string[];
  readonly isUpload: boolean;
  /** Nested fields by name and by path. */
  readonly names: ReadonlySet<string>;
  prepare(input: CallInput): Outcome<PreparedRequest, ProviderError>;
}

export interface PreparedRequest {
  readonly target: string;
  readonly body?: string | Multipart;
}

export function planFor(id: OperationId): RequestPlan {
  const known = plans.get(id);
  if (known) return known;
  const plan = makePlan(id, operations[id]);
  plans.set(id, plan);
  return plan;
}

const plans = new Map<OperationId, RequestPlan>();

function makePlan(id: OperationId, operation: Operation): RequestPlan {
  const path = pathWriter(operation);
  const query = queryWriter(operation);
  const body = bodyWriter(operation);
  const user = operation.auth.find((auth) => auth.scheme === "oauth2");
  const isAppTaken = operation.auth.some((auth) => auth.scheme === "bearer");
  return {
    id,
    operation,
    // The user's token makes own resources cheaper and private data visible.
    tokens: [...(user ? (["user"] as const) : []), ...(isAppTaken ? (["app"] as const) : [])],
    scopes: user?.scopes ?? [],
    isUpload: operation.path.startsWith("/2/media/upload"),
    names: new Set([
      ...operation.params.map((param) => param.name),
      ...(operation.body?.fields ?? []).flatMap((field) => namesIn(field, "")),
    ]),
    prepare(input) {
      const written = path(input.path ?? {});
      if (typeof written !== "string") return refuse(written);
      const search = query(input.query ?? {});
      if (typeof search !== "string") return refuse(search);
      const content = body(input.body);
      if (content !== undefined && isFault(content)) return refuse(content);
      return ok(
        content === undefined ? { target: written + search } : { target: written + search, body: content },
      );
    },
  };
}

function namesIn({ name, fields = [] }: Field, prefix: string): string[] {
  const path = `${prefix}${name}`;
  return [name, path, ...fields.flatMap((field) => namesIn(field, `${path}.`))];
}

function refuse(fault: Fault): Outcome<never, ProviderError> {
  return failed({ kind: "invalid_request", parameters: [fault.at], message: `${fault.message}.` });
}

function isFault(value: string | Multipart | Fault): value is Fault {
  return typeof value === "object" && "at" in value && "message" in value;
}

type Writer = (values: Readonly<Record<string, unknown>>) => string | Fault;

function pathWriter(operation: Operation): Writer {
  const check = paramsCheck(operation, "path");
  // "/2/users/{id}/tweets" splits into "/2/users/", "id", "/tweets".
  const parts = operation.path.split(/\{([^}]+)\}/);
  return (values) => {
    const fault = check(values);
    if (fault) return fault;
    let written = parts[0] ?? "";
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i] ?? "";
      const value = String(values[name]);
      // A URL drops these segments, and would call another operation.
      if (value === "" || value === "." || value === "..")
        return { at: name, message: `${name} must be an id` };
      written += encodeURIComponent(value) + (parts[i + 1] ?? "");
    }
    return written;
  };
}

function queryWriter(operation: Operation): Writer {
  const check = paramsCheck(operation, "query");
  return (values) => {
    const fault = check(values);
    if (fault) return fault;
    let written = "";
    for (const name in values)
      if (values[name] !== undefined)
        written += `${written === "" ? "?" : "&"}${name}=${encodeURIComponent(String(values[name]))}`;
    return written;
  };
}

function paramsCheck(
  operation: Operation,
  place: Param["in"],
): (values: Readonly<Record<string, unknown>>) => Fault | undefined {
  const params = operation.params.filter((param) => param.in === place);
  const checks = new Map(params.map((param) => [param.name, checkFor(param, "wire")]));
  const required = params.filter((param) => param.required).map((param) => param.name);
  return (values) => {
    for (const name in values) {
      const value = values[name];
      if (value === undefined) continue;
      const check = checks.get(name);
      if (check === undefined) {
        const taken = checks.size === 0 ? "none" : [...checks.keys()].join(", ");
        return {
          at: name,
          message: `${name} is not a ${place} parameter of ${operation.id}; it takes ${taken}`,
        };
      }
      const fault = check(value, name);
      if (fault) return fault;
      // A lone surrogate cannot be in a URL.
      if (!String(value).isWellFormed()) return { at: name, message: `${name} must be well-formed text` };
    }
    for (const name of required)
      if (values[name] === undefined)
        return { at: name, message: `${name} is missing from the ${place} of ${operation.id}` };
    return undefined;
  };
}

function bodyWriter(operation: Operation): (body: unknown) => string | Multipart | Fault | undefined {
  const rule = operation.body;
  if (rule === undefined)
    return (body) =>
      body === undefined ? undefined : { at: "body", message: `${operation.id} takes no body` };
  const check = fieldsCheck(rule.fields, rule.closed);
  const isMultipartTaken = rule.types.includes("multipart");
  return (body) => {
    if (body === undefined && rule.required !== true) return undefined;
    const value = body ?? {};
    if (!isJsonObject(value)) return { at: "body", message: `the body of ${operation.id} must be an object` };
    const fault = check(value, "");
    if (fault) return fault;
    if (rule.anyOf && !rule.anyOf.some((name) => value[name] !== undefined))
      return { at: rule.anyOf[0] ?? "body", message: `${operation.id} needs ${rule.anyOf.join(" or ")}` };
    const hasBytes = isMultipartTaken && Object.values(value).some((member) => member instanceof Uint8Array);
    return hasBytes ? multipart(value) : JSON.stringify(value);
  };
}

export interface Multipart {
  readonly contentType: string;
  readonly length: number;
  readonly stream: () => ReadableStream<Uint8Array>;
}

/** Limits memory on slow sockets. */
const PIECE_BYTES = 64 * 1024;

/** `FormData` makes copies: 512 MiB in parts takes up to 100 MiB. */
function multipart(fields: Readonly<Record<string, unknown>>): Multipart {
  const boundary = `----${randomUUID()}`;
  const parts: Uint8Array[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const file =
      value instanceof Uint8Array ? `; filename="${name}"\r\ncontent-type: application/octet-stream` : "";
    parts.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`));
    parts.push(value instanceof Uint8Array ? value : Buffer.from(String(value)), Buffer.from("\r\n"));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: parts.reduce((sum, part) => sum + part.length, 0),
    stream: () => streamOf(pieces(parts)),
  };
}

function streamOf(pieces: Iterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function* pieces(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts)
    for (let start = 0; start < part.length; start += PIECE_BYTES)
      yield part.subarray(start, start + PIECE_BYTES);
}
