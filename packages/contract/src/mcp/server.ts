import {
  createRequestStateCodec,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListToolsResult,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { McpAppOptions, McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import { completionsFor } from "./completion.ts";
import type { Connection } from "./connection.ts";
import { bugToStderr, reportingDefects } from "./defects.ts";
import type { NewServer, Updates } from "./internals.ts";
import { principalOf } from "./principal.ts";
import { getPrompt } from "./prompts.ts";
import { acceptSubscriptions, readResource } from "./resources.ts";
import { SpentAnswers } from "./spent-answers.ts";
import { callTool } from "./tool-calls.ts";
import { wireResult } from "./wire.ts";

/** How long a question waits for the person; an answer that comes later is refused. */
const TIME_TO_ANSWER_S = 300;
const HOUR = 3_600_000;
const NEVER_CHANGES = { ttlMs: HOUR, cacheScope: "public" } as const;

export function serverFactory(
  { surface, load, stateKey, onBug = bugToStderr }: McpAppOptions,
  updates: Updates,
): NewServer {
  const reporting = reportingDefects(onBug);
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
  // A key that is too short is refused at the start.
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
      "server/discover": NEVER_CHANGES,
      "tools/list": NEVER_CHANGES,
      "prompts/list": NEVER_CHANGES,
      "resources/list": NEVER_CHANGES,
      "resources/templates/list": NEVER_CHANGES,
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
  const listedTools = wireResult<ListToolsResult>({ tools });
  const listedResources = wireResult<ListResourcesResult>({ resources });
  const listedTemplates = wireResult<ListResourceTemplatesResult>({ resourceTemplates });
  const listedPrompts = wireResult<ListPromptsResult>({ prompts });

  return (link) => {
    const server = new Server({ name, version }, serverOptions);
    const connection: Connection = { ...link, server, core, codec, spent };
    server.setRequestHandler("tools/list", () => listedTools);
    server.setRequestHandler(
      "tools/call",
      reporting("tools/call", ({ params }, ctx) => callTool(connection, params, ctx)),
    );
    if (hasResources) {
      server.setRequestHandler("resources/list", () => listedResources);
      server.setRequestHandler("resources/templates/list", () => listedTemplates);
      server.setRequestHandler(
        "resources/read",
        reporting("resources/read", ({ params }, ctx) => readResource(connection, params, ctx)),
      );
      acceptSubscriptions(server, updates);
    }
    if (hasPrompts) {
      server.setRequestHandler("prompts/list", () => listedPrompts);
      server.setRequestHandler(
        "prompts/get",
        reporting("prompts/get", ({ params }, ctx) => getPrompt(connection, params, ctx)),
      );
    }
    if (hasPrompts || hasResources) {
      server.setRequestHandler(
        "completion/complete",
        reporting("completion/complete", async ({ params }) => completionsFor(await core(), params)),
      );
    }
    return server;
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
