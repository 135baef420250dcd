import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Asking, noElicitation } from "../ask.ts";
import { printable } from "../bad-input.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { inputRequestOf, invalid } from "../mcp/questions.ts";
import { callerOf, replyIn } from "../mcp/request.ts";
import { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import type { CallRequest, Pipeline } from "../pipeline.ts";
import type { Progress } from "../tool.ts";
import { combinedInfo } from "./combined-info.ts";
import type { Exchange } from "./exchange.ts";
import type { ToolList } from "./find-tools.ts";
import type { GateCatalog } from "./gate-catalog.ts";
import { decisionOf, type GateContext, NO_TASKS, type SendCall, toolResult } from "./gate-product.ts";
import type { GateServer } from "./gate-server.ts";
import type { Answers, ClientRequest, PendingExchanges } from "./pending-exchanges.ts";
import { PLAN_CALLS, PLAN_DEFINITION, type PlanOptions, planCalls } from "./plan-calls.ts";
import type { Policy } from "./policy.ts";
import type { Routes } from "./routes.ts";
import { asProtocolError } from "./upstream-failure.ts";
import type { UpstreamNotifications } from "./upstream-notifications.ts";
import { askable, IDEMPOTENCY_KEY, upstreamParams, withoutProtocol } from "./upstream-params.ts";

/** Everything that the clients of a gate share. */
export interface GateParts {
  readonly policy: Policy;
  readonly servers: readonly GateServer[];
  readonly catalog: GateCatalog;
  readonly list: ToolList;
  readonly routes: Routes;
  readonly pipeline: Pipeline<Partial<GateContext>>;
  readonly exchanges: PendingExchanges;
  readonly notifications: UpstreamNotifications;
}

const anyParams = z.looseObject({}).optional();

/** Creates the server for one client. Tool calls go through the pipeline; other requests that the policy allows pass. */
export function serveClient(parts: GateParts, link: ClientLink): StrictServer {
  const { policy, servers, catalog, list, exchanges, notifications, routes } = parts;
  const { capabilities, instructions, name, version, isLegacy } = combinedInfo(parts);
  const server = new StrictServer(
    { name, version },
    {
      capabilities,
      instructions,
      requestState: { verify: (state: string, ctx: ServerContext) => exchanges.verify(state, ctx) },
      inputRequired: { maxRounds: 100 },
    },
    link,
    (method, tool) => method === "tools/call" && catalog.get(tool) !== undefined,
  );
  /** Sends a request to a server behind the gate. */
  const forward = (
    to: GateServer,
    method: string,
    params: JsonObject,
    ctx: ServerContext,
    exchange: Exchange | undefined,
  ) =>
    to.forward(
      method,
      ({ isModern }) => upstreamParams(params, ctx, isModern, askable(server, link, ctx, to.policy)),
      exchange,
    );
  type Send = (to: GateServer, params: JsonObject) => Promise<JsonObject>;
  const passes = (
    method: string,
    send: (params: JsonObject, at: Send, exchange: Exchange) => Promise<JsonObject>,
  ) =>
    server.setRequestHandler(method, { params: anyParams }, async (params, ctx) => {
      const asked = withoutProtocol(params);
      const served = await exchanges.serve({ server, link, ctx, asked }, (exchange) =>
        send(asked, (to, given) => forward(to, method, given, ctx, exchange), exchange),
      );
      return wireResult<Result>(served);
    });

  if (capabilities.tools !== undefined) {
    server.setRequestHandler("tools/list", async () => {
      await catalog.refresh("running").catch((error) => Promise.reject(asProtocolError(error)));
      const own = policy.plans ? [PLAN_DEFINITION] : [];
      return wireResult({ tools: [...own, ...list.tools()] });
    });
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const { name: tool } = params;
      // Arguments came as JSON.
      const args = (params.arguments ?? {}) as JsonObject;
      const search = list.find(tool, args);
      if (search !== undefined) return wireResult(await search);
      if (policy.plans && tool === PLAN_CALLS)
        return wireResult(await planCalls(args, planning(parts, { server, link, ctx })));
      if (catalog.get(tool) === undefined)
        await catalog.refresh("all").catch((error) => Promise.reject(asProtocolError(error)));
      // No call is judged by a list of an earlier run. Without a list, nothing is sent.
      const unlisted = await catalog.freshen(tool).catch((error: Error) => error);
      const asked = { name: tool, arguments: args };
      const request = { server, link, ctx, asked };
      const served = await exchanges.serve(request, (exchange, answers) =>
        callTool(parts.pipeline, { ...request, name: tool, args, exchange, answers }, async (to, given) => {
          if (unlisted !== undefined) throw unlisted;
          const sent = { name: to.upstreamName, arguments: given };
          return forward(catalog.serverNamed(to.server), "tools/call", sent, ctx, exchange);
        }),
      );
      return wireResult(served);
    });
  }
  if (capabilities.resources !== undefined) {
    for (const method of ["resources/list", "resources/templates/list"] as const)
      passes(method, (params, send) => routes.list(method, params, send));
    passes("resources/read", async (params, send, exchange) =>
      send(await routes.resource(String(params.uri), exchange), params),
    );
  }
  if (capabilities.prompts !== undefined) {
    passes("prompts/list", (params, send) => routes.list("prompts/list", params, send));
    passes("prompts/get", async (params, send) => {
      const found = routes.prompt(String(params.name));
      return send(found.server, { ...params, name: found.name });
    });
  }
  if (capabilities.completions !== undefined)
    passes("completion/complete", async (params, send, exchange) => {
      const ref = isJsonObject(params.ref) ? params.ref : {};
      if (ref.type !== "ref/prompt") return send(await routes.resource(String(ref.uri), exchange), params);
      const found = routes.prompt(String(ref.name));
      return send(found.server, { ...params, ref: { ...ref, name: found.name } });
    });
  if (capabilities.logging !== undefined && link.era === "legacy" && isLegacy)
    passes("logging/setLevel", async (params, send) => {
      // A server of 2026-07-28 reads the level with each request.
      const having = servers.filter(({ info, upstream }) => {
        const given = upstream.isStarted ? info() : undefined;
        return given?.capabilities.logging !== undefined && !given.isModern;
      });
      await Promise.all(having.map((to) => send(to, params)));
      return {};
    });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
    server.setRequestHandler(method, { params: anyParams }, async () => {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `${NO_TASKS} Make the same call again to get its outcome.`,
      );
    });
  notifications.connect(
    server,
    link,
    capabilities.resources?.subscribe === true
      ? async (uri) => (await routes.resource(uri)).upstream
      : undefined,
  );
  return server;
}

/** A client's call of a tool. */
interface ToolRequest extends Omit<ClientRequest, "asked"> {
  readonly name: string;
  readonly args: JsonObject;
  readonly exchange: Exchange;
  readonly answers: Answers | undefined;
}

/** Takes a call through the pipeline. If a guard asks something, the call is made again with the client's answers. */
async function callTool(
  pipeline: Pipeline<Partial<GateContext>>,
  { server, link, ctx, name, args, exchange, answers }: ToolRequest,
  send: SendCall,
): Promise<JsonObject> {
  const key = ctx.mcpReq._meta?.[IDEMPOTENCY_KEY];
  const request: CallRequest<Partial<GateContext>> = {
    tool: name,
    args,
    caller: callerIn({ server, link, ctx }),
    signal: exchange.signal,
    progress: (progress) => reportProgress(exchange, progress),
    context: { send, key: typeof key === "string" ? key : undefined },
  };
  let ask = askingThrough(exchange, answers);
  for (;;) {
    const answer = await pipeline.call({ ...request, ask });
    switch (answer.kind) {
      case "unknown_tool":
        throw invalid(answer.message);
      case "rendered":
        return toolResult(answer);
      case "asks": {
        const { asks, state = null } = answer.asks;
        const questions = Object.fromEntries(
          Object.entries(asks).map(([question, asked]) => [question, inputRequestOf(asked)]),
        );
        ask = await exchange.ask(questions, state).then(
          (responses) => askingThrough(exchange, { responses, state }),
          // The client has disconnected, or did not answer in time.
          () => noElicitation,
        );
      }
    }
  }
}

type FromClient = Pick<ClientRequest, "server" | "link" | "ctx">;

function callerIn({ server, link, ctx }: FromClient) {
  const { client, ...caller } = callerOf({ ...link, server }, ctx);
  // A client's name may contain any characters.
  return { ...caller, ...(client !== undefined && { client: printable(client) }) };
}

/** Submits the calls of a plan for this client. The gate sends them once they are approved. */
function planning({ catalog, pipeline }: GateParts, from: FromClient): PlanOptions {
  const caller = callerIn(from);
  return {
    toolNamed: (name) => catalog.get(name),
    needsApproval: (tool, input) => decisionOf({ tool, input, caller }).rule === "person",
    async submit(tool, args, plan) {
      const send: SendCall = ({ server, upstreamName }, given) =>
        catalog
          .serverNamed(server)
          .forward("tools/call", { name: upstreamName, arguments: given }, undefined);
      const answer = await pipeline.call({ tool, args, caller, context: { send, plan } });
      if (answer.kind === "unknown_tool") throw invalid(answer.message);
      return answer.kind === "rendered" ? toolResult(answer) : {};
    },
  };
}

function askingThrough(exchange: Exchange, answers: Answers | undefined): Asking {
  return {
    can: (kind) => exchange.can(kind),
    unreachable: false,
    reply: (key) => (answers === undefined ? { kind: "missing" } : replyIn(answers.responses, key)),
    state: answers?.state,
  };
}

/** The gate's progress must grow, and stay below the progress that the server will report. */
function reportProgress(exchange: Exchange, { done, message }: Progress): void {
  const progressToken = exchange.context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: done * Number.EPSILON, message };
  exchange.notify(({ notify }) => notify({ method: "notifications/progress", params }));
}
