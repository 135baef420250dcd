import {
  type CallToolRequest,
  createRequestStateCodec,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { shown } from "../bad-input.ts";
import type { Caller } from "../call.ts";
import type { JsonObject } from "../json.ts";
import type { Answer, Pipeline } from "../pipeline.ts";
import type { RunTools } from "../tool.ts";
import type { McpAppOptions, McpCore } from "./app.ts";
import { type BoundState, inputRequiredOf } from "./asking.ts";
import { completionsFor } from "./completion.ts";
import { bugToStderr, defectWall } from "./defects.ts";
import { principalOf } from "./principal.ts";
import { callerOf, clientIsGone, runToolsOf } from "./request.ts";
import { SpentAnswers } from "./spent-answers.ts";

/** Makes the SDK's server for one connection, or for one HTTP request: cheap, since lists are ready made. */
export type ServerFactory = (
  context: Pick<McpRequestContext, "era">,
  transport: Caller["transport"],
) => Server;

/** Those that want to hear of changed resources. */
export type Updates = Set<(uri: string) => void>;

/** How long a question waits for the person; an answer that comes later is refused. */
const TIME_TO_ANSWER_S = 300;
const HOUR = 3_600_000;
const FOREVER_THE_SAME = { ttlMs: HOUR, cacheScope: "public" } as const;

export function serverFactory(
  { surface, load, stateKey, onBug = bugToStderr }: McpAppOptions,
  updates: Updates,
): ServerFactory {
  const walled = defectWall(onBug);
  const { name, version, instructions, tools, resources, resourceTemplates, prompts } = surface;
  const hasResources = resources.length + resourceTemplates.length > 0;
  const hasPrompts = prompts.length > 0;
  const spent = new SpentAnswers();
  const codec = lazily(() =>
    createRequestStateCodec<BoundState>({
      // Most servers never ask, and importing node:crypto costs every start 6 ms and 4 MB.
      key: stateKey ?? process.getBuiltinModule("node:crypto").randomBytes(32),
      ttlSeconds: TIME_TO_ANSWER_S,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo ? principalOf(http.authInfo) : ""}`,
    }),
  );
  // A key that is too short is told at the start.
  if (stateKey !== undefined) codec();
  const serverOptions = {
    capabilities: {
      tools: {},
      logging: {},
      ...(hasResources && { resources: { subscribe: true } }),
      ...(hasPrompts && { prompts: {} }),
      ...((hasPrompts || hasResources) && { completions: {} }),
    },
    instructions,
    cacheHints: {
      "server/discover": FOREVER_THE_SAME,
      "tools/list": FOREVER_THE_SAME,
      "prompts/list": FOREVER_THE_SAME,
      "resources/list": FOREVER_THE_SAME,
      "resources/templates/list": FOREVER_THE_SAME,
    },
    requestState: { verify: (state: string, ctx: ServerContext) => codec().verify(state, ctx) },
  };
  let loading: Promise<McpCore> | undefined;
  const core = () => {
    // A failed load is tried again by the next call.
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  // The surface was made from declarations that the SDK's types describe; it is plain JSON by now.
  const listed = { tools } as never;
  const listedResources = { resources } as never;
  const listedTemplates = { resourceTemplates } as never;
  const listedPrompts = { prompts } as never;

  return ({ era }, transport) => {
    const server = new Server({ name, version }, serverOptions);
    server.setRequestHandler("tools/list", () => listed);
    server.setRequestHandler(
      "tools/call",
      walled("tools/call", async (request, ctx) => {
        const { pipeline } = await core();
        return callTool(pipeline, codec, spent, request.params, server, ctx, era, transport);
      }),
    );
    if (hasResources) {
      server.setRequestHandler("resources/list", () => listedResources);
      server.setRequestHandler("resources/templates/list", () => listedTemplates);
      server.setRequestHandler(
        "resources/read",
        walled("resources/read", async ({ params }, ctx) =>
          readResource(
            await core(),
            params.uri,
            runToolsOf(server, ctx, era, { name: params.uri, args: {} }, spent),
          ),
        ),
      );
      acceptSubscriptions(server, updates);
    }
    if (hasPrompts) {
      server.setRequestHandler("prompts/list", () => listedPrompts);
      server.setRequestHandler(
        "prompts/get",
        walled("prompts/get", async ({ params }, ctx) => {
          const prompt = (await core()).prompts?.find((candidate) => candidate.name === params.name);
          if (prompt === undefined) throw invalid(`Unknown prompt ${shown(params.name)}.`);
          const args = params.arguments ?? {};
          const missing = prompt.arguments.find(
            (argument) => argument.required && args[argument.name] === undefined,
          );
          if (missing !== undefined)
            throw invalid(`The prompt ${prompt.name} needs the argument ${missing.name}.`);
          const messages = prompt.messages(
            args,
            runToolsOf(server, ctx, era, { name: prompt.name, args }, spent).ask,
          );
          if ("ok" in messages) return inputRequiredOf(messages, codec(), ctx, { name: prompt.name, args });
          return { messages: messages.map((message) => ({ ...message })) } as never;
        }),
      );
    }
    if (hasPrompts || hasResources) {
      server.setRequestHandler(
        "completion/complete",
        walled("completion/complete", async ({ params }) => completionsFor(await core(), params)),
      );
    }
    return server;
  };
}

async function callTool(
  pipeline: Pipeline,
  codec: () => RequestStateCodec<BoundState>,
  spent: SpentAnswers,
  params: CallToolRequest["params"],
  server: Server,
  ctx: ServerContext,
  era: McpRequestContext["era"],
  transport: Caller["transport"],
) {
  // Arguments come off the wire, so they are JSON.
  const args = (params.arguments ?? {}) as JsonObject;
  const answer = await pipeline.call({
    tool: params.name,
    args,
    caller: callerOf(server, ctx, transport),
    ...runToolsOf(server, ctx, era, { name: params.name, args }, spent),
  });
  if (answer.kind === "unknown_tool") throw invalid(answer.message);
  if (answer.kind === "asks") return inputRequiredOf(answer.asks, codec(), ctx, { name: params.name, args });
  return toolResult(answer);
}

function toolResult({ envelope, text, content, failed }: Extract<Answer, { kind: "told" }>) {
  const blocks = text === undefined ? content : [{ type: "text", text }, ...content];
  return {
    content: blocks,
    ...(envelope !== undefined && { structuredContent: envelope }),
    ...(failed && { isError: true }),
    // Our blocks and envelopes are JSON of the shapes the SDK's types spell out.
  } as never;
}

async function readResource({ resources = [], services }: McpCore, uri: string, tools: RunTools) {
  for (const resource of resources) {
    const params = resource.match(uri);
    if (params === undefined) continue;
    const resolved =
      resource.needs.length === 0
        ? { ok: true as const, value: {} }
        : await services?.resolve(resource.needs, tools.signal);
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

/** Clients of before 2026 subscribe on their connection; later ones open a stream that the transport serves. */
function acceptSubscriptions(server: Server, updates: Updates): void {
  const subscribed = new Set<string>();
  const tell = (uri: string) => {
    if (subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(clientIsGone);
  };
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscribed.add(params.uri);
    updates.add(tell);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.onclose = () => updates.delete(tell);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function invalid(message: string, data?: JsonObject): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}
