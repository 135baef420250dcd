import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import type { Policy } from "./policy.ts";

/** The argument of a call's `_meta` that names it: the same key is the same call. */
export const IDEMPOTENCY_KEY = "io.toolpact/idempotency-key";

/** The protocol's own members of `_meta`, which each side writes for itself. */
const OWN_META = /^io\.modelcontextprotocol\/|^progressToken$/;

/** Params without what the protocol adds to them. */
export function withoutProtocol(params: unknown): JsonObject {
  // Params come off the wire, so they are JSON.
  const { _meta, inputResponses, requestState, ...rest } = (params ?? {}) as JsonObject;
  return rest;
}

/**
 * Params as the server behind the gate gets them, with what the client has written into `_meta` for it. One of 2026-07-28
 * reads there, for each request, what the client can be asked and which lines of the log it wants; older clients want them
 * all.
 */
export function upstreamParams(
  params: JsonObject,
  { mcpReq }: ServerContext,
  isModern: boolean,
  capabilities: JsonObject,
): JsonObject {
  // Both came off the wire, so they are JSON.
  const given = (mcpReq._meta ?? {}) as JsonObject;
  const envelope = mcpReq.envelope as JsonObject | undefined;
  const level = envelope === undefined ? "debug" : envelope[LOG_LEVEL_META_KEY];
  const meta = {
    ...Object.fromEntries(
      Object.entries(given).filter(([name]) => !OWN_META.test(name) && name !== IDEMPOTENCY_KEY),
    ),
    ...(isModern && level !== undefined && { [LOG_LEVEL_META_KEY]: level }),
    ...(isModern && { [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
  };
  // Answers that come before any question are the server's to judge.
  const unasked = isModern && mcpReq.requestState() === undefined ? mcpReq.inputResponses : undefined;
  return {
    ...params,
    ...(unasked !== undefined && { inputResponses: unasked as unknown as JsonObject }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** What this client can be asked over this connection. Extensions, such as tasks, are not among it. */
export function askable(
  server: StrictServer,
  { era, isStateless }: ClientLink,
  { mcpReq }: ServerContext,
  { passesRoots }: Policy,
): JsonObject {
  if (isStateless === true) return {};
  const envelope = mcpReq.envelope as
    | { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
    | undefined;
  const { elicitation, sampling, roots } =
    (era === "modern" ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()) ?? {};
  return {
    // They came off the wire, so they are JSON.
    ...(elicitation && { elicitation: elicitation as JsonObject }),
    ...(sampling && { sampling: sampling as JsonObject }),
    ...(roots && passesRoots && { roots: roots as JsonObject }),
  };
}
