import {
  InMemoryServerEventBus,
  type ReadResourceRequest,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import { HOUR_MS } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import type { ClientLink, Connection, Listener, MayHear, Updates } from "./internals.ts";
import { invalid } from "./questions.ts";
import { anyParams, clientIsGone, membersOf, principalFor, principalOf, runToolsOf } from "./request.ts";
import { wireResult } from "./tool-calls.ts";

export async function readResource(
  connection: Connection,
  { uri }: ReadResourceRequest["params"],
  ctx: ServerContext,
) {
  const { resources = [], services } = await connection.core();
  const tools = await runToolsOf(connection, ctx, { name: uri, args: {} });
  const { surface } = principalFor(connection, ctx) ?? {};
  const offered = surface && [
    ...surface.resources.map((one) => one.uri),
    ...surface.resourceTemplates.map((one) => one.uriTemplate),
  ];
  for (const resource of resources) {
    if (offered !== undefined && !offered.includes(resource.uri)) continue;
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
    const { mimeType, meta } = resource;
    const about = { uri, mimeType, ...(meta && { _meta: meta }) };
    const { value } = content;
    return wireResult<ReadResourceResult>({
      contents: ["text" in value ? { ...about, text: value.text } : { ...about, blob: value.base64 }],
    });
  }
  throw new ResourceNotFoundError(uri);
}

/** Legacy clients subscribe on their connection; modern ones open a stream, which the transport serves. */
export function notifyOfChanges(
  server: Server,
  { era, transport, isStateless, principal }: ClientLink,
  updates: Updates,
  {
    hasResources,
    toolsChange,
    onListening,
    mayHear,
  }: {
    readonly hasResources: boolean;
    readonly toolsChange: boolean;
    readonly onListening: () => void;
    readonly mayHear: MayHear;
  },
): void {
  const subscribed = new Set<string>();
  const hasStreams = transport === "stdio" && era === "modern";
  const listener: Listener = {
    resourceUpdated(uri) {
      if (!hasStreams && !subscribed.has(uri)) return;
      void mayHear(uri, principal?.id)
        .then((may) => (may ? server.sendResourceUpdated({ uri }) : undefined))
        .catch(clientIsGone);
    },
    toolsChanged() {
      if (toolsChange) void server.sendToolListChanged().catch(clientIsGone);
    },
  };
  // Over HTTP each request has its own server, unless it belongs to a session.
  const lasts = transport === "stdio" || (era === "legacy" && isStateless !== true);
  if ((toolsChange && lasts) || (hasResources && hasStreams)) updates.add(listener);
  if (hasResources) {
    server.setRequestHandler("resources/subscribe", async ({ params }, ctx) => {
      const auth = ctx.http?.authInfo;
      if (!(await mayHear(params.uri, auth === undefined ? principal?.id : principalOf(auth))))
        throw new ResourceNotFoundError(params.uri);
      subscribed.add(params.uri);
      updates.add(listener);
      onListening();
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  server.onclose = () => updates.delete(listener);
}

/** Clients read the texts as resources. */
export function serveSkills(
  server: Server,
  { era, listsDiffer = false }: ClientLink,
  skills: readonly JsonObject[],
): void {
  // Legacy results have no cache hints.
  const hints = era === "legacy" ? {} : { ttlMs: HOUR_MS, cacheScope: listsDiffer ? "private" : "public" };
  server.setRequestHandler("skills/list", { params: anyParams }, () => ({ skills: [...skills], ...hints }));
  server.setRequestHandler("skills/get", { params: anyParams }, (params) => {
    const { uri } = membersOf(params);
    if (typeof uri !== "string") throw invalid("skills/get needs the address of a skill as uri.");
    const skill = skills.find((candidate) => candidate.uri === uri);
    if (skill === undefined) throw invalid(`There is no skill at ${quote(uri)}.`);
    return { skill, ...hints };
  });
}

export class ListenedBus extends InMemoryServerEventBus {
  private readonly onListening: () => void;

  constructor(onListening: () => void, onError?: (error: Error) => void) {
    super(onError);
    this.onListening = onListening;
  }

  override subscribe(listener: Parameters<InMemoryServerEventBus["subscribe"]>[0]): () => void {
    this.onListening();
    return super.subscribe(listener);
  }
}
