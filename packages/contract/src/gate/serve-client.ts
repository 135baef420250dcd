import { randomUUID } from "node:crypto";
import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { quote } from "../bad-input.ts";
import { withoutClientArguments } from "../client-arguments.ts";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { callerOf, invalid } from "../mcp/request.ts";
import { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import { printable } from "../printable.ts";
import { askPerson } from "./ask-person.ts";
import type { Exchange } from "./exchange.ts";
import type { Forward } from "./forward.ts";
import type { GuardedCalls } from "./guarded-calls.ts";
import type { ListedTools } from "./listed-tools.ts";
import { asProtocolError } from "./no-answer.ts";
import type { ClientRequest, PendingExchanges } from "./pending-exchanges.ts";
import type { Policy } from "./policy.ts";
import { NO_TASKS } from "./refusal.ts";
import type { Upstream, UpstreamInfo } from "./upstream.ts";
import type { UpstreamNotifications } from "./upstream-notifications.ts";
import { askable, IDEMPOTENCY_KEY, upstreamParams, withoutProtocol } from "./upstream-params.ts";

/** What every client of a gate shares. */
export interface GateParts {
  readonly policy: Policy;
  readonly info: UpstreamInfo;
  readonly upstream: Upstream;
  readonly tools: ListedTools;
  readonly calls: GuardedCalls;
  readonly exchanges: PendingExchanges;
  readonly notifications: UpstreamNotifications;
  readonly forward: Forward;
}

const LONGEST_INSTRUCTIONS = 1_600;
const anyParams = z.looseObject({}).optional();

/** The server that one client talks to: what the policy lets through of the one behind the gate. */
export function serveClient(parts: GateParts, link: ClientLink): StrictServer {
  const { policy, info, upstream, tools, exchanges, notifications, forward } = parts;
  const capabilities = capabilitiesOf(info.capabilities, policy);
  const server = new StrictServer(
    { name: info.name, version: info.version },
    {
      capabilities,
      instructions: instructionsOf(info),
      requestState: { verify: (state: string, ctx: ServerContext) => exchanges.verify(state, ctx) },
      inputRequired: { maxRounds: 100 },
    },
    link,
    (method, asked) => method === "tools/call" && tools.has(asked),
  );
  /** Params as the server behind the gate gets them. */
  const onward = (params: JsonObject, ctx: ServerContext) =>
    upstreamParams(params, ctx, info.isModern, askable(server, link, ctx, policy));
  /** A request that goes on as it is. */
  const passes = (method: string) =>
    server.setRequestHandler(method, { params: anyParams }, async (params, ctx) => {
      const asked = withoutProtocol(params);
      const served = await exchanges.serve({ server, link, ctx, asked }, (exchange) =>
        forward(method, onward(asked, ctx), exchange),
      );
      return wireResult<Result>(served);
    });

  if (capabilities.tools !== undefined) {
    server.setRequestHandler("tools/list", async () =>
      wireResult({ tools: await tools.list().catch((error) => Promise.reject(asProtocolError(error))) }),
    );
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const { name } = params;
      if (!tools.has(name)) {
        await tools.list();
        if (!tools.has(name)) throw invalid(`There is no tool ${quote(name)} here.`);
      }
      // Arguments come off the wire, so they are JSON.
      const given = (params.arguments ?? {}) as JsonObject;
      const own = withoutClientArguments(given, (parameter) => tools.hasParameter(name, parameter));
      const asked = { name, arguments: own };
      const served = await exchanges.serve({ server, link, ctx, asked }, (exchange, wasAsked) => {
        const send = () => forward("tools/call", onward(asked, ctx), exchange);
        return guardedCall(parts, { server, link, ctx, exchange, asked, wasAsked, send });
      });
      return wireResult(served);
    });
  }
  if (capabilities.resources !== undefined)
    for (const method of ["resources/list", "resources/templates/list", "resources/read"]) passes(method);
  if (capabilities.prompts !== undefined)
    for (const method of ["prompts/list", "prompts/get"]) passes(method);
  if (capabilities.completions !== undefined) passes("completion/complete");
  if (capabilities.logging !== undefined && link.era === "legacy" && !info.isModern)
    passes("logging/setLevel");
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
    server.setRequestHandler(method, { params: anyParams }, async () => {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `${NO_TASKS} Make the same call again to get its outcome.`,
      );
    });
  const canSubscribe = info.capabilities.resources?.subscribe === true && policy.passesResources;
  notifications.tell(server, link, upstream, canSubscribe);
  return server;
}

/** Who calls. What a client says of its name may hold anything. */
export function callerAt({ server, link, ctx }: Pick<ClientRequest, "server" | "link" | "ctx">) {
  const { client, principal } = callerOf({ ...link, server } as never, ctx);
  return { client: client === undefined ? undefined : printable(client), principal };
}

interface ToolRequest extends Pick<ClientRequest, "server" | "link" | "ctx"> {
  readonly exchange: Exchange;
  readonly asked: { readonly name: string; readonly arguments: JsonObject };
  readonly wasAsked: boolean;
  readonly send: () => Promise<JsonObject>;
}

function guardedCall(
  { policy, calls }: GateParts,
  { server, link, ctx, exchange, asked, wasAsked, send }: ToolRequest,
): Promise<JsonObject> {
  const { client, principal } = callerAt({ server, link, ctx });
  const key = ctx.mcpReq._meta?.[IDEMPOTENCY_KEY];
  return calls.call({
    id: randomUUID(),
    tool: asked.name,
    args: asked.arguments,
    key: typeof key === "string" ? key : undefined,
    principal,
    client,
    signal: exchange.signal,
    forward: send,
    askPerson:
      policy.askInClient && !wasAsked && exchange.can("elicitation/create")
        ? (item) => askPerson(exchange, policy.name, item)
        : undefined,
    tell: (message, times) => tellProgress(exchange, message, times),
  });
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

function tellProgress(exchange: Exchange, message: string, times: number): void {
  const token = exchange.context.mcpReq._meta?.progressToken;
  if (token === undefined) return;
  // It has to grow, and to stay below what the server will report.
  const params = { progressToken: token, progress: times * Number.EPSILON, message };
  exchange.tell(({ notify }) => notify({ method: "notifications/progress", params }));
}
