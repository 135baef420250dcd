import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { refusal } from "./http-gate.ts";

/** Sends the head first, since events may come much later. The stream ends with the connection. */
export async function sendStream(body: ReadableStream, outgoing: ServerResponse): Promise<void> {
  outgoing.flushHeaders();
  // The DOM library's type of the stream lacks Node's iterator.
  const events = Readable.fromWeb(body as import("node:stream/web").ReadableStream);
  await pipeline(events, outgoing).catch((error) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
}

/** Returns the error for a request the web's type cannot express. */
export function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Request | Response {
  const aborted = new AbortController();
  outgoing.once("close", () => !outgoing.writableFinished && aborted.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const { method = "GET" } = incoming;
  const scheme = "encrypted" in incoming.socket ? "https" : "http";
  const url = `${scheme}://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`;
  try {
    return new Request(url, { method, headers, signal: AbortSignal.any([aborted.signal, gone]) });
  } catch {
    return URL.canParse(url)
      ? refusal(405, "This server knows GET, POST and DELETE.", { allow: "GET, POST, DELETE" })
      : refusal(400, "The Host header or the address of the request cannot be read.");
  }
}

interface BodyLimits {
  readonly ms: number | undefined;
  readonly canCut: (onCut: () => void) => void;
}

/** Undefined if it exceeds `maxBytes`; "late" or "cut" if it did not arrive before that. */
export function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  { ms, canCut }: BodyLimits,
): Promise<Uint8Array | undefined | "late" | "cut"> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const finish = (body: Uint8Array | undefined | "late" | "cut") => {
      clearTimeout(timer);
      resolve(body);
    };
    const timer = ms === undefined ? undefined : setTimeout(() => finish("late"), ms);
    canCut(() => finish("cut"));
    incoming.on("data", (part: Buffer) => {
      size += part.length;
      if (size > maxBytes) finish(undefined);
      else parts.push(part);
    });
    incoming.once("end", () => finish(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    incoming.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
