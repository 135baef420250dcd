import { randomBytes, randomUUID } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { quote } from "../bad-input.ts";
import type { Clock } from "../clock.ts";
import type { ApprovalItem } from "../durable/approval-item.ts";
import { type PersonsAnswer, personsAnswer } from "../durable/ask-person.ts";
import type { GuardStorage } from "../durable/storage.ts";
import { digest, type JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { type ClientLink, internals, type Listener, type Updates } from "../mcp/internals.ts";
import { principalOf } from "../mcp/principal.ts";
import { callerOf, clientIsGone, invalid } from "../mcp/request.ts";
import { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import { printable } from "../printable.ts";
import type { Surface } from "../surface.ts";
import { Exchange, type ExchangeStep } from "./exchange.ts";
import { GuardedCalls, questionFor } from "./guarded-calls.ts";
import type { Policy } from "./policy.ts";
import { GATE_META } from "./refusal.ts";
import { failureKind, Upstream, type UpstreamInfo, type UpstreamPlace } from "./upstream.ts";

export interface GateOptions {
  readonly place: UpstreamPlace;
  readonly policy: Policy;
  readonly storage: GuardStorage;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/** A gate before a server: an app for the transports, and its end. */
export interface Gate {
  readonly app: McpApp;
  readonly info: UpstreamInfo;
  readonly close: () => Promise<void>;
}

/** The argument of a call's `_meta` that names it: the same key is the same call. */
const IDEMPOTENCY_KEY = "io.toolpact/idempotency-key";

const RELEASE_MS = 1_000;
const MOST_OPEN = 1_000;
const LONGEST_INSTRUCTIONS = 1_600;
const TIME_TO_ANSWER_S = 600;
const QUESTION = "question";
const APPROVE = "approve";
/** The protocol's own members of `_meta`, which each side writes for itself. */
const OWN_META = /^io\.modelcontextprotocol\/|^progressToken$/;

/** Connects to the server and puts the policy before it. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { policy, clock, log, place } = options;
  const calls = new GuardedCalls(options);
  const open = new Map<string, Exchange>();
  /** Those that the server works on now. */
  const atServer = new Set<Exchange>();
  const updates: Updates = new Set();
  const servers = new Set<StrictServer>();
  let tools: readonly JsonObject[] = [];

  const upstream = new Upstream(
    place,
    {
      elicitation: { form: {}, url: {} },
      sampling: {},
      ...(policy.passesRoots && { roots: {} }),
    },
    {
      notified: (method, params) => void notified(method, params),
      async asked(method, params) {
        const exchange = onlyOne(atServer);
        const answers = await exchange.ask({ [QUESTION]: { method, params } });
        // The client has answered each question under its name.
        return answers[QUESTION] as JsonObject;
      },
      lost: () =>
        log("The server has ended or its connection is gone. It is connected again with the next request."),
    },
  );
  const info = await upstream.info();
  const listTools = async () => {
    const found = await upstream.tools(new AbortController().signal);
    tools = found
      .filter(({ name }) => policy.toolRule(String(name)).rule !== "deny")
      .map((tool) => withRule(tool, policy));
    return tools;
  };
  if (info.capabilities.tools !== undefined) await listTools();

  async function notified(method: string, params: JsonObject): Promise<void> {
    switch (method) {
      case "notifications/tools/list_changed":
        await listTools().catch((error: Error) => log(`The tools cannot be listed: ${error.message}`));
        for (const listener of updates) listener.toolsChanged();
        return;
      case "notifications/prompts/list_changed":
        for (const listener of updates) listener.promptsChanged?.();
        return;
      case "notifications/resources/list_changed":
        for (const listener of updates) listener.resourcesChanged?.();
        return;
      case "notifications/resources/updated":
        for (const listener of updates) listener.resourceUpdated(String(params.uri));
        return;
      case "notifications/message": {
        const [only] = atServer.size === 1 ? atServer : [];
        // A line of the log belongs to the one call that runs; otherwise to every client that keeps a connection.
        if (only !== undefined)
          // A line of the log has a level and data, as the protocol has it.
          only.tell(({ log }) => log(params.level as LoggingLevel, params.data, textOf(params.logger)));
        else
          for (const server of servers)
            await server.notification({ method, params: { ...params } }).catch(clientIsGone);
        return;
      }
    }
  }

  /** Sends a request in an exchange with its client, and answers what the server asks meanwhile through it. */
  async function forward(
    method: string,
    params: JsonObject,
    exchange: Exchange | undefined,
  ): Promise<JsonObject> {
    if (exchange !== undefined) atServer.add(exchange);
    try {
      return await forwardRounds(method, params, exchange);
    } finally {
      if (exchange !== undefined) atServer.delete(exchange);
    }
  }

  async function forwardRounds(
    method: string,
    params: JsonObject,
    exchange: Exchange | undefined,
  ): Promise<JsonObject> {
    const token = exchange?.context.mcpReq._meta?.progressToken;
    const tell = (made: JsonObject) =>
      exchange?.tell(({ notify }) =>
        notify({ method: "notifications/progress", params: { ...made, progressToken: token } }),
      );
    let sent = params;
    for (;;) {
      const result = await upstream.request(method, sent, {
        signal: exchange?.signal ?? new AbortController().signal,
        timeoutMs: policy.timeoutMs,
        progress: token === undefined ? undefined : tell,
      });
      await exchange?.allTold();
      if (result.resultType !== "input_required") return result;
      if (exchange === undefined)
        throw new Error("The server has asked a question, and nobody waits who could answer it.");
      // An input_required result has its requests by name.
      const questions = (result.inputRequests ?? {}) as Readonly<Record<string, JsonObject>>;
      const answers = Object.keys(questions).length === 0 ? {} : await exchange.ask(questions);
      sent = {
        ...params,
        inputResponses: answers,
        ...(result.requestState !== undefined && { requestState: result.requestState }),
      };
    }
  }

  const codec = createRequestStateCodec<Held>({
    key: randomBytes(32),
    ttlSeconds: TIME_TO_ANSWER_S,
    bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo ? principalOf(http.authInfo) : ""}`,
  });

  /** Serves a request that the server may ask questions about. */
  async function exchanged(
    server: StrictServer,
    link: ClientLink,
    ctx: ServerContext,
    asked: JsonObject,
    work: (exchange: Exchange) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const held = ctx.mcpReq.requestState<Held>();
    const call = digest([ctx.mcpReq.method, asked]);
    let exchange: Exchange;
    if (held === undefined) {
      if (open.size >= MOST_OPEN)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          "Too many requests are open at this gate. Try again later.",
        );
      exchange = new Exchange(server, link, ctx, clock);
      open.set(exchange.id, exchange);
      const begun = exchange;
      begun.begin(() => work(begun).finally(() => open.delete(begun.id)));
    } else {
      const found = open.get(held.id);
      // Answers come as JSON.
      const answers = (ctx.mcpReq.inputResponses ?? {}) as unknown as JsonObject;
      const isExpected = found?.round === held.round && held.call === call;
      if (found === undefined || !isExpected || !found.resume(ctx, answers))
        throw invalid("This request is not waiting for an answer any more. Make it again without one.");
      exchange = found;
    }
    const step: ExchangeStep = await exchange.next();
    switch (step.kind) {
      case "done":
        return step.result;
      case "failed":
        throw asProtocolError(step.error);
      case "asks":
        return wireResult<JsonObject>(
          inputRequired({
            // As the server has asked them.
            inputRequests: step.questions as unknown as Record<string, InputRequest>,
            requestState: await codec.mint({ id: exchange.id, round: exchange.round, call }, ctx),
          }),
        );
    }
  }

  function newServer(link: ClientLink): StrictServer {
    const capabilities = capabilitiesOf(info.capabilities, policy);
    const server = new StrictServer(
      { name: info.name, version: info.version },
      {
        capabilities,
        instructions: instructionsOf(info),
        requestState: { verify: (state: string, ctx: ServerContext) => codec.verify(state, ctx) },
        inputRequired: { maxRounds: 100 },
      },
      link,
      (method, asked) => method === "tools/call" && tools.some(({ name }) => name === asked),
    );
    /** Params as the server behind the gate gets them. */
    const onward = (params: JsonObject, ctx: ServerContext) =>
      withMeta(params, ctx, info.isModern, askable(server, link, ctx, policy));
    /** A request that goes on as it is. */
    const passes = (method: string) =>
      server.setRequestHandler(method, { params: anyParams }, async (params, ctx) => {
        const asked = passedOn(params);
        return wireResult<Result>(
          await exchanged(server, link, ctx, asked, (exchange) =>
            forward(method, onward(asked, ctx), exchange),
          ),
        );
      });

    if (capabilities.tools !== undefined) {
      server.setRequestHandler("tools/list", async () =>
        wireResult({ tools: await listTools().catch((error) => Promise.reject(asProtocolError(error))) }),
      );
      server.setRequestHandler("tools/call", async ({ params }, ctx) => {
        const { name } = params;
        // Arguments come off the wire, so they are JSON.
        const args = (params.arguments ?? {}) as JsonObject;
        const asked = { name, arguments: args };
        if (
          !tools.some((tool) => tool.name === name) &&
          !(await listTools()).some((tool) => tool.name === name)
        )
          throw invalid(`There is no tool ${quote(name)} here.`);
        return wireResult(
          await exchanged(server, link, ctx, asked, (exchange) => {
            const { client, principal } = callerOf({ ...link, server } as never, ctx);
            const key = ctx.mcpReq._meta?.[IDEMPOTENCY_KEY];
            return calls.call({
              id: randomUUID(),
              tool: name,
              args,
              key: typeof key === "string" ? key : undefined,
              principal,
              client: client === undefined ? undefined : printable(client),
              signal: exchange.signal,
              forward: () => forward("tools/call", onward(asked, ctx), exchange),
              askPerson:
                policy.askInClient && exchange.can("elicitation/create")
                  ? (item) => askPerson(exchange, policy.name, item)
                  : undefined,
              tell: (message, times) => tellProgress(exchange, message, times),
            });
          }),
        );
      });
    }
    if (capabilities.resources !== undefined) {
      for (const method of ["resources/list", "resources/templates/list", "resources/read"]) passes(method);
    }
    if (capabilities.prompts !== undefined)
      for (const method of ["prompts/list", "prompts/get"]) passes(method);
    if (capabilities.completions !== undefined) passes("completion/complete");
    if (capabilities.logging !== undefined && link.era === "legacy" && !info.isModern)
      passes("logging/setLevel");
    listenTo(server, link);
    return server;
  }

  /** Hands on what the server says by itself, in the way of the client's era. */
  function listenTo(server: StrictServer, link: ClientLink): void {
    const subscribed = new Set<string>();
    const hasStreams = link.transport === "stdio" && link.era === "modern";
    const lasts = link.transport === "stdio" || (link.era === "legacy" && link.isStateless !== true);
    const listener: Listener = {
      toolsChanged: () => void server.sendToolListChanged().catch(clientIsGone),
      promptsChanged: () => void server.sendPromptListChanged().catch(clientIsGone),
      resourcesChanged: () => void server.sendResourceListChanged().catch(clientIsGone),
      resourceUpdated(uri) {
        if (hasStreams || subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(clientIsGone);
      },
    };
    if (info.capabilities.resources?.subscribe && policy.passesResources) {
      server.setRequestHandler("resources/subscribe", async ({ params }) => {
        await upstream.subscribe(params.uri).catch((error) => Promise.reject(asProtocolError(error)));
        subscribed.add(params.uri);
        return {};
      });
      server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
        await upstream.unsubscribe(params.uri).catch((error) => Promise.reject(asProtocolError(error)));
        subscribed.delete(params.uri);
        return {};
      });
    }
    if (!lasts) return;
    updates.add(listener);
    if (link.era === "legacy") servers.add(server);
    server.onclose = () => {
      updates.delete(listener);
      servers.delete(server);
    };
  }

  let isReleasing = false;
  const releasing = setInterval(() => {
    if (isReleasing) return;
    isReleasing = true;
    void calls
      .release(({ tool, args }: ApprovalItem) =>
        forward("tools/call", { name: tool, arguments: args }, undefined),
      )
      .catch((error: Error) => log(`What was approved cannot be sent: ${error.message}`))
      .finally(() => {
        isReleasing = false;
      });
  }, RELEASE_MS);
  releasing.unref();

  const surface: Surface = {
    name: info.name,
    version: info.version,
    instructions: info.instructions ?? "",
    scopes: {},
    resources: [],
    resourceTemplates: [],
    prompts: [],
    get tools() {
      return tools;
    },
  };
  return {
    info,
    app: {
      surface,
      offerTools: () => {},
      resourceUpdated: (uri) => {
        for (const listener of updates) listener.resourceUpdated(uri);
      },
      [internals]: { newServer, updates, onListening: () => {}, mayHear: async () => true },
    },
    async close() {
      clearInterval(releasing);
      await upstream.close();
    },
  };
}

/** What is signed into a question: which request waits, and that it is this one. */
interface Held {
  readonly id: string;
  readonly round: number;
  readonly call: string;
}

const anyParams = z.looseObject({}).optional();

/** Params without what the protocol adds to them. */
function passedOn(params: unknown): JsonObject {
  // Params come off the wire, so they are JSON.
  const { _meta, inputResponses, requestState, ...rest } = (params ?? {}) as JsonObject;
  return rest;
}

/**
 * Params with what the client has written into `_meta` for the server. One of 2026-07-28 reads there, for each request, what
 * the client can be asked and which lines of the log it wants; older clients want them all.
 */
function withMeta(
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

/** A tool as the server lists it, with what the policy says of it. Its hints are the server's own claim. */
function withRule(tool: JsonObject, policy: Policy): JsonObject {
  const { rule } = policy.toolRule(String(tool.name));
  // A tool's `_meta` is an object where it is there.
  return { ...tool, _meta: { ...(tool._meta as JsonObject | undefined), [GATE_META]: { rule } } };
}

function capabilitiesOf(given: ServerCapabilities, policy: Policy): ServerCapabilities {
  const { tools, resources, prompts, completions, logging } = given;
  return {
    ...(tools && { tools }),
    ...(resources && policy.passesResources && { resources }),
    ...(prompts && policy.passesPrompts && { prompts }),
    ...(completions && { completions }),
    ...(logging && { logging }),
  };
}

function instructionsOf({ instructions = "" }: UpstreamInfo): string {
  return `${instructions.slice(0, LONGEST_INSTRUCTIONS)}${instructions === "" ? "" : "\n\n"}A gate stands before this server. Some calls wait for a person: an answer that says so is no failure. Go on with something else and make the same call with the same arguments later to get its outcome.`;
}

/** What this client can be asked over this connection. */
function askable(
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

/** A server of before 2026 does not say which call a question belongs to. */
function onlyOne(atServer: ReadonlySet<Exchange>): Exchange {
  const [exchange, another] = atServer;
  if (exchange === undefined || another !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      exchange === undefined
        ? "No call is under way at this gate that the question could belong to."
        : "Several calls are under way at this gate, and the question does not say which it belongs to.",
    );
  return exchange;
}

async function askPerson(exchange: Exchange, gate: string, item: ApprovalItem): Promise<PersonsAnswer> {
  const answers = await exchange.ask({
    [QUESTION]: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: questionFor(gate, item),
        requestedSchema: {
          type: "object",
          properties: { [APPROVE]: { type: "boolean", title: "Let this call through?" } },
          required: [APPROVE],
        },
      },
    },
  });
  // The answer is untrusted: only these words of it count.
  const { action, content } = (answers[QUESTION] ?? {}) as JsonObject;
  if (action !== "accept")
    return personsAnswer({ kind: "refused", action: action === "decline" ? action : "cancel" }, APPROVE);
  return personsAnswer({ kind: "accepted", content: (content ?? {}) as JsonObject }, APPROVE);
}

function tellProgress(exchange: Exchange, message: string, times: number): void {
  const token = exchange.context.mcpReq._meta?.progressToken;
  if (token === undefined) return;
  // It has to grow, and to stay below what the server will report.
  const params = { progressToken: token, progress: times * Number.EPSILON, message };
  exchange.tell(({ notify }) => notify({ method: "notifications/progress", params }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** What the client is told of a request that got no result. */
function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { message } = error as Error;
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    failureKind(error) === "not_sent" ? message : `The server behind this gate gave no answer: ${message}`,
  );
}
