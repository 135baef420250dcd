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
import type { Bug } from "../pipeline.ts";
import { maskSecrets } from "../redact.ts";
import type { Surface } from "../surface.ts";
import type { McpApp, McpAppOptions, McpCore } from "./app.ts";
import { cacheHints, capabilitiesOf, MAY_CHANGE, NEVER_CHANGES } from "./capabilities.ts";
import {
  type Connection,
  internals,
  type MayHear,
  type NewServer,
  SpentAnswers,
  type Updates,
} from "./internals.ts";
import { inputRequiredOf, invalid } from "./questions.ts";
import { type BoundState, principalFor, principalOf, runToolsOf } from "./request.ts";
import { notifyOfChanges, readResource, serveSkills } from "./resources.ts";
import { hasTool } from "./run-call.ts";
import { StrictServer } from "./strict-server.ts";
import { serveTasks } from "./tasks.ts";
import { callTool, wireResult } from "./tool-calls.ts";

/** Later answers are rejected. */
const TIME_TO_ANSWER_S = 300;

export interface ServerParts
  extends Pick<
    McpAppOptions,
    "stateKey" | "outputSchemas" | "toolsChange" | "hasTasks" | "onBug" | "withSdkServer"
  > {
  readonly core: () => Promise<McpCore>;
  readonly surface: () => Surface;
  readonly updates: Updates;
  readonly onListening: () => void;
  readonly mayHear: MayHear;
  readonly onListed: () => void;
}

/** The servers share the app's state, such as used answers. */
export function newServerOf(app: McpApp): NewServer {
  const { servers } = app[internals];
  if (typeof servers === "function") return servers;
  const made = factories.get(servers) ?? serverFactory(servers);
  factories.set(servers, made);
  return made;
}

const factories = new WeakMap<ServerParts, NewServer>();

function serverFactory({
  core,
  surface,
  updates,
  onListening,
  mayHear,
  onListed,
  stateKey,
  outputSchemas = true,
  toolsChange = false,
  hasTasks = false,
  onBug = bugToStderr,
  withSdkServer,
}: ServerParts): NewServer {
  const reporting = reportingBugs(onBug);
  const { name, version, resources, resourceTemplates, prompts, skills = [] } = surface();
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
  // Rejects a short key at the start.
  const given = stateKey === undefined ? undefined : codecWith(stateKey);
  const codec = lazily(async () => {
    if (given !== undefined) return given;
    const { stateKey } = await core();
    // Loaded on demand: node:crypto takes 6 ms and 4 MB, and most servers ask no questions.
    return codecWith((await stateKey?.()) ?? process.getBuiltinModule("node:crypto").randomBytes(32));
  });
  const serverOptions = {
    capabilities: capabilitiesOf(surface(), { toolsChange, hasTasks }),
    requestState: { verify: async (state: string, ctx: ServerContext) => (await codec()).verify(state, ctx) },
  };
  const forAll = cacheHints(NEVER_CHANGES, toolsChange);
  const forOne = cacheHints(MAY_CHANGE, toolsChange);

  return (link) => {
    const offered = link.principal?.surface;
    const { instructions } = offered ?? surface();
    const options = { ...serverOptions, instructions, cacheHints: link.listsDiffer ? forOne : forAll };
    const server = new StrictServer({ name, version }, options, link, (method, asked) =>
      isNameOf(surface(), method, asked),
    );
    const connection: Connection = {
      ...link,
      server,
      serverInfo: { name, version },
      core,
      codec,
      spend,
      outputSchemas,
    };
    const seen = (ctx: ServerContext) => principalFor(connection, ctx)?.surface ?? surface();
    server.setRequestHandler("tools/list", (_, ctx) => {
      onListed();
      return wireResult<ListToolsResult>({ tools: seen(ctx).tools });
    });
    server.setRequestHandler(
      "tools/call",
      reporting("tools/call", ({ params }, ctx) => callTool(connection, params, ctx)),
    );
    if (hasResources) {
      server.setRequestHandler("resources/list", (_, ctx) =>
        wireResult<ListResourcesResult>({ resources: seen(ctx).resources }),
      );
      server.setRequestHandler("resources/templates/list", (_, ctx) =>
        wireResult<ListResourceTemplatesResult>({ resourceTemplates: seen(ctx).resourceTemplates }),
      );
      server.setRequestHandler(
        "resources/read",
        reporting("resources/read", ({ params }, ctx) => readResource(connection, params, ctx)),
      );
    }
    if (skills.length > 0) serveSkills(server, link, offered === undefined ? skills : (offered.skills ?? []));
    if (hasTasks) serveTasks(server, connection, reporting);
    notifyOfChanges(server, link, updates, { hasResources, toolsChange, onListening, mayHear });
    if (hasPrompts) {
      server.setRequestHandler("prompts/list", (_, ctx) =>
        wireResult<ListPromptsResult>({ prompts: seen(ctx).prompts }),
      );
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
    withSdkServer?.(server);
    return server;
  };
}

function isNameOf(surface: Surface, method: string, asked: string): boolean {
  if (method === "tools/call") return hasTool(surface, asked);
  return method === "prompts/get" && surface.prompts.some(({ name }) => name === asked);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

async function getPrompt(
  connection: Connection,
  { name, arguments: args = {} }: GetPromptRequest["params"],
  ctx: ServerContext,
) {
  const { prompts = [] } = await connection.core();
  const { surface } = principalFor(connection, ctx) ?? {};
  const prompt = (surface?.prompts ?? prompts).some((offered) => offered.name === name)
    ? prompts.find((candidate) => candidate.name === name)
    : undefined;
  if (prompt === undefined) throw invalid(`Unknown prompt ${quote(name)}.`);
  const missing = prompt.arguments.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing !== undefined) throw invalid(`The prompt ${name} needs the argument ${missing.name}.`);
  const asked = { name, args };
  const messages = prompt.messages(args, (await runToolsOf(connection, ctx, asked)).ask);
  if ("ok" in messages) return inputRequiredOf(messages, connection, ctx, asked);
  return wireResult<GetPromptResult>({ messages });
}

const MAX_VALUES = 100;

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
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

/** Callers choose the name, so inherited members such as `toString` are skipped. */
function ownMember<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

export type Reporting = ReturnType<typeof reportingBugs>;

/** Reports unexpected errors without sending their text to the client. */
function reportingBugs(onBug: (bug: Bug) => void) {
  return <Request, Result>(
    method: string,
    handler: (request: Request, ctx: ServerContext) => Promise<Result>,
  ) =>
    (request: Request, ctx: ServerContext): Promise<Result> =>
      handler(request, ctx).catch((error) => {
        // Protocol errors are answers, and a canceled request gets none.
        if (error instanceof ProtocolError || ctx.mcpReq.signal.aborted) throw error;
        const reference = crypto.randomUUID();
        onBug({ reference, where: method, error });
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${method} failed because of a bug in this server. Reference ${reference}.`,
        );
      });
}

function bugToStderr({ reference, where, error }: Bug): void {
  process.stderr.write(`${reference} ${where}: ${maskSecrets(String(error)).replace(/\s+/g, " ")}\n`);
}
