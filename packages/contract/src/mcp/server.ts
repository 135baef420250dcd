import {
  type CompleteRequest,
  type CompleteResult,
  createRequestStateCodec,
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import type { JsonObject } from "../json.ts";
import type { Bug } from "../pipeline.ts";
import { maskSecrets } from "../redact.ts";
import type { Surface } from "../surface.ts";
import type { McpAppOptions, McpCore } from "./app.ts";
import { type BoundState, inputRequiredOf } from "./asking.ts";
import { type Connection, SpentAnswers } from "./connection.ts";
import type { NewServer, Updates } from "./internals.ts";
import { principalOf } from "./principal.ts";
import { invalid, runToolsOf } from "./request.ts";
import { notifyOfChanges, readResource } from "./resources.ts";
import { SKILLS, serveSkills } from "./skills.ts";
import { StrictServer } from "./strict-server.ts";
import { callTool, wireResult } from "./tool-calls.ts";

/** How long a question waits for the person; an answer that comes later is refused. */
const TIME_TO_ANSWER_S = 300;
const HOUR = 3_600_000;
const NEVER_CHANGES = { ttlMs: HOUR, cacheScope: "public" } as const;
const MAY_CHANGE = { ttlMs: 0, cacheScope: "private" } as const;

export function serverFactory(
  { load, stateKey, toolsChange = false, onBug = bugToStderr }: McpAppOptions,
  surface: () => Surface,
  updates: Updates,
): NewServer {
  const reporting = reportingDefects(onBug);
  const { name, version, instructions, resources, resourceTemplates, prompts, skills = [] } = surface();
  const hasResources = resources.length + resourceTemplates.length > 0;
  const hasPrompts = prompts.length > 0;
  const spent = new SpentAnswers();
  const spend = async (id: string) => {
    if (!spent.spend(id)) return false;
    const { spendAnswer } = await core();
    return spendAnswer === undefined || spendAnswer(id, Date.now() + TIME_TO_ANSWER_S * 1_000);
  };
  const codecWith = (key: string | Uint8Array) =>
    createRequestStateCodec<BoundState>({
      key,
      ttlSeconds: TIME_TO_ANSWER_S,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo ? principalOf(http.authInfo) : ""}`,
    });
  // A key that is too short is refused at the start.
  const given = stateKey === undefined ? undefined : codecWith(stateKey);
  const codec = lazily(async () => {
    if (given !== undefined) return given;
    const { stateKey } = await core();
    // Most servers never ask, and importing node:crypto costs every start 6 ms and 4 MB.
    return codecWith((await stateKey?.()) ?? process.getBuiltinModule("node:crypto").randomBytes(32));
  });
  const serverOptions = {
    capabilities: {
      tools: toolsChange ? { listChanged: true } : {},
      logging: {},
      ...(hasResources && { resources: { subscribe: true } }),
      ...(hasPrompts && { prompts: {} }),
      ...((hasPrompts || hasResources) && { completions: {} }),
      ...(skills.length > 0 && { extensions: { [SKILLS]: {} } }),
    },
    instructions,
    cacheHints: {
      "server/discover": NEVER_CHANGES,
      "tools/list": toolsChange ? MAY_CHANGE : NEVER_CHANGES,
      "prompts/list": NEVER_CHANGES,
      "resources/list": NEVER_CHANGES,
      "resources/templates/list": NEVER_CHANGES,
    },
    requestState: { verify: async (state: string, ctx: ServerContext) => (await codec()).verify(state, ctx) },
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
  const listedResources = wireResult<ListResourcesResult>({ resources });
  const listedTemplates = wireResult<ListResourceTemplatesResult>({ resourceTemplates });
  const listedPrompts = wireResult<ListPromptsResult>({ prompts });

  return (link) => {
    const server = new StrictServer({ name, version }, serverOptions, link, (method, asked) =>
      namesOf(surface(), method).some(({ name }) => name === asked),
    );
    const connection: Connection = { ...link, server, core, codec, spend };
    server.setRequestHandler("tools/list", () => wireResult<ListToolsResult>({ tools: surface().tools }));
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
    }
    if (skills.length > 0) serveSkills(server, link, skills);
    notifyOfChanges(server, link, updates, { hasResources, toolsChange });
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

/** What a request of this method names one of. */
function namesOf({ tools, prompts }: Surface, method: string): readonly JsonObject[] {
  if (method === "tools/call") return tools;
  return method === "prompts/get" ? prompts : [];
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The messages of a prompt, or what it must ask first. */
async function getPrompt(
  connection: Connection,
  { name, arguments: args = {} }: GetPromptRequest["params"],
  ctx: ServerContext,
) {
  const { prompts = [] } = await connection.core();
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw invalid(`Unknown prompt ${quote(name)}.`);
  const missing = prompt.arguments.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing !== undefined) throw invalid(`The prompt ${name} needs the argument ${missing.name}.`);
  const asked = { name, args };
  const messages = prompt.messages(args, (await runToolsOf(connection, ctx, asked)).ask);
  if ("ok" in messages) return inputRequiredOf(messages, connection, ctx, asked);
  return wireResult<GetPromptResult>({ messages });
}

const MOST_VALUES = 100;

/** Values that begin with what the person typed, for a prompt's argument or a part of a resource's address. */
function completionsFor(
  { prompts = [], resources = [] }: McpCore,
  { ref, argument }: CompleteRequest["params"],
): CompleteResult {
  const complete =
    ref.type === "ref/prompt"
      ? prompts
          .find((prompt) => prompt.name === ref.name)
          ?.arguments.find(({ name }) => name === argument.name)?.complete
      : ownMember(resources.find((resource) => resource.uri === ref.uri)?.complete ?? {}, argument.name);
  const values = complete?.(argument.value) ?? [];
  return {
    completion: {
      values: values.slice(0, MOST_VALUES),
      total: values.length,
      hasMore: values.length > MOST_VALUES,
    },
  };
}

/** The name is the caller's own, and every object answers to `toString`. */
function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Wraps a handler: what it throws by mistake is reported, and its text does not reach the client. */
function reportingDefects(onBug: (bug: Bug) => void) {
  return <Request, Result>(
    method: string,
    handler: (request: Request, ctx: ServerContext) => Promise<Result>,
  ) =>
    (request: Request, ctx: ServerContext): Promise<Result> =>
      handler(request, ctx).catch((error) => {
        // A protocol error is an answer, and a cancelled request needs none.
        if (error instanceof ProtocolError || ctx.mcpReq.signal.aborted) throw error;
        const reference = crypto.randomUUID();
        onBug({ reference, where: method, error });
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${method} failed through a defect of this server. Reference ${reference}.`,
        );
      });
}

/** Where bugs go unless the server says otherwise. */
function bugToStderr({ reference, where, error }: Bug): void {
  process.stderr.write(`${reference} ${where}: ${maskSecrets(String(error)).replace(/\s+/g, " ")}\n`);
}
