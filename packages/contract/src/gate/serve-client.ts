import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "../mcp/internals.ts";
import { StrictServer } from "../mcp/strict-server.ts";
import { wireResult } from "../mcp/tool-calls.ts";
import type { Pipeline } from "../pipeline.ts";
import { callTool } from "./call-tool.ts";
import type { Forward } from "./forward.ts";
import { NO_TASKS } from "./gate-format.ts";
import type { GateContext } from "./gate-product.ts";
import type { PendingExchanges } from "./pending-exchanges.ts";
import type { Policy } from "./policy.ts";
import type { Upstream, UpstreamInfo } from "./upstream.ts";
import type { UpstreamCatalog } from "./upstream-catalog.ts";
import { asProtocolError } from "./upstream-failure.ts";
import type { UpstreamNotifications } from "./upstream-notifications.ts";
import { askable, upstreamParams, withoutProtocol } from "./upstream-params.ts";

/** Everything that the clients of a gate share. */
export interface GateParts {
  readonly policy: Policy;
  readonly info: UpstreamInfo;
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  readonly pipeline: Pipeline<Partial<GateContext>>;
  readonly exchanges: PendingExchanges;
  readonly notifications: UpstreamNotifications;
  readonly forward: Forward;
}

const MAX_INSTRUCTIONS = 1_600;
const anyParams = z.looseObject({}).optional();

/** Creates the server for one client. Tool calls go through the pipeline; other requests that the policy allows pass. */
export function serveClient(parts: GateParts, link: ClientLink): StrictServer {
  const { policy, info, upstream, catalog, exchanges, notifications, forward } = parts;
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
    (method, name) => method === "tools/call" && catalog.get(name) !== undefined,
  );
  const paramsFor = (params: JsonObject, ctx: ServerContext) =>
    upstreamParams(params, ctx, info.isModern, askable(server, link, ctx, policy));
  const passes = (method: string) =>
    server.setRequestHandler(method, { params: anyParams }, async (params, ctx) => {
      const asked = withoutProtocol(params);
      const served = await exchanges.serve({ server, link, ctx, asked }, (exchange) =>
        forward(method, paramsFor(asked, ctx), exchange),
      );
      return wireResult<Result>(served);
    });

  if (capabilities.tools !== undefined) {
    const refresh = () => catalog.refresh().catch((error) => Promise.reject(asProtocolError(error)));
    server.setRequestHandler("tools/list", async () => {
      await refresh();
      return wireResult({ tools: catalog.listed });
    });
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const { name } = params;
      if (catalog.get(name) === undefined) await refresh();
      // Arguments came as JSON.
      const args = (params.arguments ?? {}) as JsonObject;
      const asked = { name, arguments: args };
      const request = { server, link, ctx, asked };
      const served = await exchanges.serve(request, (exchange, answers) =>
        callTool(parts.pipeline, { ...request, name, args, exchange, answers }, (given) =>
          forward("tools/call", paramsFor({ name, arguments: given }, ctx), exchange),
        ),
      );
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
  notifications.connect(server, link, upstream, canSubscribe);
  return server;
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
  return `${instructions.slice(0, MAX_INSTRUCTIONS)}${instructions === "" ? "" : "\n\n"}This server runs behind a gate. Some calls wait for approval, and an answer that says so is no failure. Go on with something else and make the same call with the same arguments later to get its outcome.`;
}
