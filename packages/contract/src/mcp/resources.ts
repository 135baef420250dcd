import {
  type ReadResourceRequest,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Connection } from "./connection.ts";
import type { ClientLink, Listener, Updates } from "./internals.ts";
import { clientIsGone, invalid, runToolsOf } from "./request.ts";

/** The content at an address. */
export async function readResource(
  connection: Connection,
  { uri }: ReadResourceRequest["params"],
  ctx: ServerContext,
) {
  const { resources = [], services } = await connection.core();
  const tools = await runToolsOf(connection, ctx, { name: uri, args: {} });
  for (const resource of resources) {
    const params = resource.match(uri);
    if (params === undefined) continue;
    const resolved =
      resource.needs.length === 0
        ? { ok: true as const, value: {} }
        : await services?.resolve(resource.needs, {}, tools.signal);
    if (resolved === undefined) throw new Error(`${resource.name} needs services, and this server has none.`);
    const content = resolved.ok
      ? await resource.read({ uri, params }, { ...resolved.value, ...tools })
      : resolved;
    if (!content.ok) throw invalid(content.failure.message, { uri, code: content.failure.code });
    const { mimeType } = resource;
    const { value } = content;
    return {
      contents: [
        "text" in value ? { uri, mimeType, text: value.text } : { uri, mimeType, blob: value.base64 },
      ],
    };
  }
  throw new ResourceNotFoundError(uri);
}

/**
 * Clients of before 2026 subscribe to resources on their connection; later ones open a stream that the transport
 * serves, on stdio from what their server sends.
 */
export function notifyOfChanges(
  server: Server,
  { era, transport, isStateless }: ClientLink,
  updates: Updates,
  { hasResources, toolsChange }: { readonly hasResources: boolean; readonly toolsChange: boolean },
): void {
  const subscribed = new Set<string>();
  const listener: Listener = {
    resourceUpdated(uri) {
      if (subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(clientIsGone);
    },
    toolsChanged() {
      if (toolsChange) void server.sendToolListChanged().catch(clientIsGone);
    },
  };
  // Over HTTP every request has a server of its own, unless it belongs to a session.
  const lasts = transport === "stdio" || (era === "legacy" && isStateless !== true);
  if (toolsChange && lasts) updates.add(listener);
  if (hasResources) {
    server.setRequestHandler("resources/subscribe", ({ params }) => {
      subscribed.add(params.uri);
      updates.add(listener);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  server.onclose = () => updates.delete(listener);
}
