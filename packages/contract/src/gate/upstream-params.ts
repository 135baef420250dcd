import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import type { StrictServer } from "../mcp/strict-server.ts";
import type { ServerPolicy } from "./policy.ts";

/** The member of `_meta` with the caller's key: calls with the same key are the same call. */
export const IDEMPOTENCY_KEY = "io.toolpact/idempotency-key";

/** Members of `_meta` that belong to the protocol. Each side of the gate writes its own. */
const OWN_META = /^io\.modelcontextprotocol\/|^progressToken$/;

/** Removes the members that the protocol adds to params. */
export function withoutProtocol(params: unknown): JsonObject {
  // Params come off the wire, so they are JSON.
  const { _meta, inputResponses, requestState, ...rest } = (params ?? {}) as JsonObject;
  return rest;
}

/**
 * The params for the upstream server, with the client's own members of `_meta`. A server of 2026-07-28 also reads the client's
 * capabilities and log level there, for each request; older clients want all log messages.
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
  // Answers without a question are for the server to judge.
  const unasked = isModern && mcpReq.requestState() === undefined ? mcpReq.inputResponses : undefined;
  return {
    ...params,
    ...(unasked !== undefined && { inputResponses: unasked as unknown as JsonObject }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** The capabilities of the client over this connection. Extensions, such as tasks, are left out. */
export function askable(
  server: StrictServer,
  { era, isStateless }: ClientLink,
  { mcpReq }: ServerContext,
  { passesRoots }: ServerPolicy,
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
