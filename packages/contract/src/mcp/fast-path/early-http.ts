import { membersOf } from "../request.ts";
import { type AcceptedShape, type AcceptedShapes, type SimpleCall, sendNothing } from "./accepted-shapes.ts";
import { type EarlyParts, earlyConnection } from "./early-parts.ts";
import { HandshakeAnswers, MODERN } from "./handshake.ts";
import type { RequestHead } from "./request-head.ts";

// Modern clients repeat parts of each message in headers. Only exactly these headers are answered here.

/** The answer to `server/discover` or `tools/list`, as the SDK writes it; undefined for other messages. */
export function handshakeText(message: unknown, head: RequestHead, parts: EarlyParts): string | undefined {
  const { method } = membersOf(message);
  if (method === "initialize" || head.method !== method || head.name !== undefined || !isUsual(head))
    return undefined;
  const answer = new HandshakeAnswers(parts.handshake).answer(message);
  if (answer.kind !== "answered") return undefined;
  if (answer.isList) parts.onListed();
  return answer.text;
}

/** Accepts a call as valid as a handshake's messages. */
export function acceptCall(
  call: SimpleCall,
  head: RequestHead,
  parts: EarlyParts,
  { shape, shapes }: { readonly shape: string; readonly shapes: AcceptedShapes },
): AcceptedShape | undefined {
  if (!isUsual(head) || head.method !== "tools/call" || head.name !== call.name) return undefined;
  const client = new HandshakeAnswers(parts.handshake).clientOf(call.meta);
  if (client === undefined) return undefined;
  return shapes.accept(shape, earlyConnection(parts, client, "http", sendNothing), client.envelope);
}

function isUsual({ protocolVersion, accept, contentType, session }: RequestHead): boolean {
  return (
    protocolVersion === MODERN &&
    session === undefined &&
    accept === "application/json, text/event-stream" &&
    contentType === "application/json"
  );
}
