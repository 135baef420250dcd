import {
  createRequestStateCodec,
  type McpRequestContext,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call.ts";
import type { McpAppOptions, McpCore } from "./app.ts";
import type { BoundState } from "./asking.ts";
import { completionsFor } from "./completion.ts";
import type { Connection } from "./connection.ts";
import { bugToStderr, defectWall } from "./defects.ts";
import { principalOf } from "./principal.ts";
import { getPrompt } from "./prompts.ts";
import { acceptSubscriptions, readResource } from "./resources.ts";
import { SpentAnswers } from "./spent-answers.ts";
import { callTool } from "./tool-calls.ts";

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
    const connection: Connection = { server, era, transport, core, codec, spent };
    server.setRequestHandler("tools/list", () => listed);
    server.setRequestHandler(
      "tools/call",
      walled("tools/call", ({ params }, ctx) => callTool(connection, params, ctx)),
    );
    if (hasResources) {
      server.setRequestHandler("resources/list", () => listedResources);
      server.setRequestHandler("resources/templates/list", () => listedTemplates);
      server.setRequestHandler(
        "resources/read",
        walled("resources/read", ({ params }, ctx) => readResource(connection, params, ctx)),
      );
      acceptSubscriptions(server, updates);
    }
    if (hasPrompts) {
      server.setRequestHandler("prompts/list", () => listedPrompts);
      server.setRequestHandler(
        "prompts/get",
        walled("prompts/get", ({ params }, ctx) => getPrompt(connection, params, ctx)),
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

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
