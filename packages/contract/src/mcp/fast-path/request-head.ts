import type { SimpleCall } from "./accepted-shapes.ts";

export interface RequestHead {
  host?: string;
  origin?: string;
  authorization?: string;
  contentLength?: string;
  contentType?: string;
  accept?: string;
  protocolVersion?: string;
  method?: string;
  name?: string;
  session?: string;
}

/** Undefined if a known header is repeated. */
export function requestHead(rawHeaders: readonly string[]): RequestHead | undefined {
  const head: RequestHead = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const member = MEMBERS.get(rawHeaders[at]?.toLowerCase() ?? "");
    if (member === undefined) continue;
    if (head[member] !== undefined) return undefined;
    head[member] = rawHeaders[at + 1] ?? "";
  }
  return head;
}

/** Everything the SDK checks: all but the id and the arguments. */
export function shapeOf(call: SimpleCall, head: RequestHead): string {
  const { protocolVersion, method, name, accept, contentType } = head;
  return JSON.stringify([protocolVersion, method, name, accept, contentType, call.shape]);
}

const MEMBERS: ReadonlyMap<string, keyof RequestHead> = new Map([
  ["host", "host"],
  ["origin", "origin"],
  ["authorization", "authorization"],
  ["content-length", "contentLength"],
  ["content-type", "contentType"],
  ["accept", "accept"],
  ["mcp-protocol-version", "protocolVersion"],
  ["mcp-method", "method"],
  ["mcp-name", "name"],
  ["mcp-session-id", "session"],
]);
