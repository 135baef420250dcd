import { isUtf8 } from "node:buffer";
import { parseJson } from "../json.ts";
import { refusal } from "./http-gate.ts";
import { membersOf } from "./request.ts";

export interface ToolCall {
  readonly id: unknown;
  readonly name: string;
  readonly args: unknown;
}

/** Legacy clients may send batches. */
export function toolCalls(body: unknown): readonly ToolCall[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const { id, method, params } = membersOf(message);
    const { name, arguments: args } = membersOf(params);
    return method === "tools/call" && typeof name === "string" ? [{ id, name, args }] : [];
  });
}

/** Undefined if it is larger than `maxBytes`. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream ?? []) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function parseBody(bytes: Uint8Array): { readonly json: unknown } | Response {
  if (!isUtf8(bytes)) return refusal(400, "The request is not UTF-8.", {}, -32700);
  try {
    return { json: JSON.parse(textOf(bytes)) };
  } catch {
    return refusal(400, "The request is not JSON.", {}, -32700);
  }
}

/** Undefined if it cannot be parsed. */
export function parsedBytes(bytes: Uint8Array): unknown {
  return isUtf8(bytes) ? parseJson(textOf(bytes)) : undefined;
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("utf8");
}

export function belongsToSession({ headers }: Request, body: unknown): boolean {
  return headers.has("mcp-session-id") || membersOf(body).method === "initialize";
}
