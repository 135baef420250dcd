import { createHash } from "node:crypto";
import type { Body } from "@toolpact/x-api/operations";
import { isObject, parsedJson } from "../json.ts";
import type { Answer } from "./answer.ts";
import { fieldsProblem } from "./check-value.ts";
import type { Call } from "./exchange.ts";
import { Fields, type UploadedPart } from "./input.ts";
import * as problems from "./problems.ts";

export interface ReadBody {
  readonly fields: Fields;
  readonly files: ReadonlyMap<string, UploadedPart>;
}

export async function readBody(call: Call, rules: Body): Promise<ReadBody | { readonly refusal: Answer }> {
  const contentType = call.header("content-type") ?? "";
  const isForm = rules.types.includes("multipart") && /^multipart\/form-data\b/i.test(contentType);
  const read = await (isForm ? readMultipart : readJson)(call, rules, contentType);
  if ("refusal" in read) return read;
  const complaint =
    fieldsProblem(read.fields.value, rules.fields, rules.closed, "$") ??
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
    if (field.type === "binary" && typeof encoded === "string")
      files.set(field.name, uploadedPart(Buffer.from(encoded, "base64")));
  }
  return { fields: new Fields(value), files };
}

async function readMultipart(
  call: Call,
  rules: Body,
  contentType: string,
): Promise<ReadBody | { readonly refusal: Answer }> {
  const body = await readBytes(call.body, maxFormBytes);
  if (body === undefined) return { refusal: problems.tooLarge(maxFileBytes) };
  let form: FormData;
  try {
    form = await new Response(body, { headers: { "content-type": contentType } }).formData();
  } catch {
    return { refusal: malformedForm };
  }
  const value: Record<string, unknown> = {};
  const files = new Map<string, UploadedPart>();
  for (const [name, part] of form) {
    if (typeof part !== "string") {
      if (part.size > maxFileBytes) return { refusal: problems.tooLarge(maxFileBytes) };
      files.set(name, uploadedPart(Buffer.from(await part.arrayBuffer())));
      // Marks the file as present.
      value[name] = "";
      continue;
    }
    if (part.length > maxFieldCharacters) return { refusal: malformedForm };
    const isInteger = rules.fields.some((field) => field.name === name && field.type === "integer");
    value[name] = isInteger && /^-?\d{1,15}$/.test(part) ? Number(part) : part;
  }
  return { fields: new Fields(value), files };
}

const malformedForm = problems.badValue("body", "", "Request body is not valid multipart/form-data.");

/** Undefined if it exceeds the limit. */
export async function readText(
  body: AsyncIterable<Uint8Array> | undefined,
  limit: number,
): Promise<string | undefined> {
  return (await readBytes(body, limit))?.toString("utf8");
}

async function readBytes(
  body: AsyncIterable<Uint8Array> | undefined,
  limit: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function uploadedPart(bytes: Buffer): UploadedPart {
  return {
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    head: bytes.subarray(0, 64),
  };
}

const contentTypes = { json: "application/json", multipart: "multipart/form-data" } as const;
const maxJsonBytes = 1_048_576;
/** One upload part; X accepts up to 5 MiB. */
const maxFileBytes = 16 * 1_048_576;
const maxFormBytes = maxFileBytes + 1_048_576;
const maxFieldCharacters = 65_536;
const maxBase64Bytes = 24 * 1_048_576;
