import { createHash } from "node:crypto";
import type { Body } from "@toolpact/x-api/operations";
import type { Answer } from "../answer.ts";
import { complaintAboutFields } from "../gate/check-value.ts";
import { Fields, type UploadedPart } from "../gate/input.ts";
import { isObject, parsedJson } from "../json.ts";
import * as problems from "../problems.ts";
import type { Call } from "./exchange.ts";
import { boundaryOf, readForm } from "./multipart.ts";

export interface ReadBody {
  readonly fields: Fields;
  readonly files: ReadonlyMap<string, UploadedPart>;
}

/** Reads a request's body and checks it against what the operation takes. */
export async function readBody(call: Call, rules: Body): Promise<ReadBody | { readonly refusal: Answer }> {
  const contentType = call.header("content-type") ?? "";
  const boundary = rules.types.includes("multipart") ? boundaryOf(contentType) : undefined;
  const read =
    boundary === undefined
      ? await readJson(call, rules, contentType)
      : await readMultipart(call, rules, boundary);
  if ("refusal" in read) return read;
  const complaint =
    complaintAboutFields(read.fields.value, rules.fields, rules.closed, "$") ??
    (rules.anyOf?.every((name) => read.fields.value[name] === undefined) === true
      ? `$: must have at least one of [${rules.anyOf.join(", ")}]`
      : undefined);
  if (complaint === undefined) return read;
  const field = /^\$\.?([^:.[]*)/.exec(complaint)?.[1] || "body";
  const value = read.fields.value[field];
  return {
    refusal: problems.badValue(
      field,
      typeof value === "string" ? value : JSON.stringify(value ?? null),
      complaint,
    ),
  };
}

async function readJson(
  call: Call,
  rules: Body,
  contentType: string,
): Promise<ReadBody | { readonly refusal: Answer }> {
  const limit = rules.fields.some((field) => field.type === "binary") ? maxBase64Bytes : maxJsonBytes;
  const text = await readText(call.body, limit);
  if (text === undefined) return { refusal: problems.tooLarge(limit) };
  if (text === "" && rules.required !== true) return { fields: new Fields({}), files: new Map() };
  if (text !== "" && !/^application\/json\b/i.test(contentType)) {
    return {
      refusal: problems.unsupportedContent(rules.types.map((type) => contentTypes[type]).join(" or ")),
    };
  }
  const value = parsedJson(text);
  if (!isObject(value))
    return { refusal: problems.badValue("body", text.slice(0, 80), "Request body must be a JSON object.") };
  const files = new Map<string, UploadedPart>();
  for (const field of rules.fields) {
    const encoded = value[field.name];
    if (field.type === "binary" && typeof encoded === "string") files.set(field.name, decodedFile(encoded));
  }
  return { fields: new Fields(value), files };
}

async function readMultipart(
  call: Call,
  rules: Body,
  boundary: string,
): Promise<ReadBody | { readonly refusal: Answer }> {
  const form = await readForm(call.body ?? nothing(), boundary, maxFileBytes);
  if (form === "file_too_large") return { refusal: problems.tooLarge(maxFileBytes) };
  if (typeof form === "string") {
    return { refusal: problems.badValue("body", "", "Request body is not valid multipart/form-data.") };
  }
  const value: Record<string, unknown> = {};
  for (const [name, text] of form.fields) {
    const rule = rules.fields.find((field) => field.name === name);
    value[name] = rule?.type === "integer" && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  }
  // A file stands in for its bytes so that the check sees that it is there.
  for (const name of form.files.keys()) value[name] = "";
  return { fields: new Fields(value), files: form.files };
}

/** The body as text; undefined when it is larger than allowed. */
export async function readText(
  body: AsyncIterable<Uint8Array> | undefined,
  limit: number,
): Promise<string | undefined> {
  if (body === undefined) return "";
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > limit) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function decodedFile(encoded: string): UploadedPart {
  const bytes = Buffer.from(encoded, "base64");
  return {
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    head: bytes.subarray(0, 64),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const contentTypes = { json: "application/json", multipart: "multipart/form-data" } as const;
const maxJsonBytes = 1_048_576;
/** One part of an upload; X takes parts of up to 5 MiB, and pictures are no larger. */
const maxFileBytes = 16 * 1_048_576;
const maxBase64Bytes = 24 * 1_048_576;
