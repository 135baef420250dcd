import { failed, ok } from "@toolpact/outcome";
import type { Clock } from "../clock.ts";
import type { ProtectedCall } from "../guards/protect-options.ts";
import { releaseApproved } from "../guards/release-approved.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { McpApp } from "../mcp/app.ts";
import { internals } from "../mcp/internals.ts";
import type { EndedCall, Observer } from "../observer.ts";
import { audit } from "../observers/audit.ts";
import { createPipeline } from "../pipeline.ts";
import { provideServices } from "../product.ts";
import { bugText } from "../redact.ts";
import { combinedInfo } from "./combined-info.ts";
import { toolList } from "./find-tools.ts";
import { gateCatalog } from "./gate-catalog.ts";
import {
  decisionOf,
  type GateContext,
  type GateFacts,
  type GateNotes,
  gateProduct,
  protocolErrorIn,
} from "./gate-product.ts";
import { type GateServer, gateServer } from "./gate-server.ts";
import type { SignedInCallers } from "./gate-sign-in.ts";
import { gateStack } from "./gate-stack.ts";
import { PendingExchanges } from "./pending-exchanges.ts";
import type { Policy } from "./policy.ts";
import { routesTo } from "./routes.ts";
import { type GateParts, serveClient } from "./serve-client.ts";
import { openServerMemory } from "./server-memory.ts";
import { followSimilar } from "./similar-rules.ts";
import type { UpstreamAnswer } from "./upstream-catalog.ts";
import { UpstreamNotifications } from "./upstream-notifications.ts";
import type { UpstreamPlace } from "./upstream-place.ts";

export interface GateOptions {
  /** The server, if the policy has no section with its place. */
  readonly place: UpstreamPlace | undefined;
  readonly policy: Policy;
  readonly storage: GuardStorage;
  /** Signs questions; the same for every gate of the policy. */
  readonly questionKey: Uint8Array;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** The clients that were signed in. */
  readonly signedIn?: SignedInCallers | undefined;
  /** Observes calls, like the audit log. */
  readonly observer?: Observer;
}

/** A gate in front of servers: an app for the transports. */
export interface Gate {
  readonly app: McpApp;
  /** The name of the server, or of the gate if it has several. */
  readonly name: string;
  /** True if some calls of the tool only read. */
  readonly mayRead: (tool: string) => boolean;
  readonly close: () => Promise<void>;
}

/** Applies the policy to the tools of its servers. Connects only to those that have never run. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { policy, storage, clock, log, questionKey } = options;
  const notifications = new UpstreamNotifications();
  const servers = serversOf(options, notifications);
  const catalog = gateCatalog(servers, log);
  await learnAll(servers, log);
  const similar = followSimilar(policy, storage, log);
  const stack = gateStack(policy, catalog, similar, options.signedIn).bind({ clock, guardStorage: storage });
  const pipeline = createPipeline({
    product: gateProduct,
    catalog,
    stackFor: () => stack,
    services: provideServices(gateProduct, {
      send: (context) =>
        context.send === undefined ? failed({ message: "The call has no upstream." }) : ok(context.send),
    }),
    observers: [gateAudit(storage, log), ...(options.observer === undefined ? [] : [options.observer])],
    onBug: (bug) => log(bugText(bug)),
    clock,
  });
  const parts: GateParts = {
    policy,
    servers,
    catalog,
    list: toolList(catalog, policy.list, () => notifications.toolsChanged()),
    routes: routesTo(servers, log),
    pipeline,
    exchanges: new PendingExchanges({ clock, key: questionKey }),
    notifications,
  };
  const stopReleasing = releaseApproved({
    pipeline,
    storage,
    clock,
    callOf: ({ id, tool, args, client, principal }) =>
      catalog.get(tool) && {
        tool,
        args,
        // The approver makes the call, for the caller who has gone.
        caller: {
          transport: "web",
          ...(client !== undefined && { client }),
          ...(principal !== undefined && { principal }),
        },
        context: {
          send: ({ server, upstreamName }, given) =>
            catalog
              .serverNamed(server)
              .forward("tools/call", { name: upstreamName, arguments: given }, undefined),
          releasedItem: id,
        },
      },
    onReleased: ({ id, tool }, answer) => {
      const failure = answer.kind === "rendered" && !answer.outcome.ok ? answer.outcome.failure : undefined;
      log(`Item ${id} (${tool}) was released: ${failure?.code ?? "sent"}.`);
    },
    onError: ({ message }) => log(`Approved calls cannot be sent: ${message}`),
  });
  const { name } = combinedInfo(parts);

  return {
    name,
    mayRead(tool) {
      const steps = catalog.get(tool)?.facts.steps;
      return steps === undefined || steps.some(({ rule }) => rule === "read_only");
    },
    app: {
      get surface() {
        const { version, instructions } = combinedInfo(parts);
        return {
          name,
          version,
          instructions,
          scopes: {},
          resources: [],
          resourceTemplates: [],
          prompts: [],
          tools: catalog.listed,
        };
      },
      offerTools: async () => {},
      resourceUpdated: (uri) => notifications.resourceUpdated(uri),
      [internals]: {
        servers: (link) => serveClient(parts, link),
        updates: notifications.updates,
        onListening: () => {},
        mayHear: async () => true,
      },
    },
    async close() {
      stopReleasing();
      await Promise.all(servers.map(({ upstream }) => upstream.close()));
    },
  };
}

function serversOf(
  { policy, place: given, clock, log }: GateOptions,
  notifications: UpstreamNotifications,
): readonly GateServer[] {
  const memory = openServerMemory(policy.toolsFile);
  return policy.servers.flatMap((own) => {
    const place = own.place ?? (given === undefined ? failed("it has no place.") : ok(given));
    if (!place.ok) {
      log(`The server ${own.name} is left out: ${place.failure}`);
      return [];
    }
    return gateServer({
      policy: own,
      place: place.value,
      memory,
      clock,
      log,
      notified: ({ atServer }, method, params) => notifications.pass(atServer, method, params),
    });
  });
}

/**
 * Starts servers that have never run, because clients get all tools at once. A single server is always started,
 * because the client is about to call it; several are started on their first call. A gate that cannot open closes them.
 */
async function learnAll(servers: readonly GateServer[], log: (message: string) => void): Promise<void> {
  const results = await Promise.all(
    servers.map(async ({ policy, info, catalog }) => {
      if (info() !== undefined && servers.length > 1) return undefined;
      const listed = catalog.refresh().catch((error: Error) => error);
      const error = info() === undefined ? await listed : undefined;
      if (error && servers.length > 1) log(`The server ${policy.name} is left out for now: ${error.message}`);
      return error;
    }),
  );
  const [error] = results;
  if (servers.length !== 1 || !error) return;
  await Promise.all(servers.map(({ upstream }) => upstream.close()));
  throw error;
}

type Context = Partial<GateContext & ProtectedCall>;
type GateCall = EndedCall<GateFacts, unknown, Context, GateNotes>;

/** Stores a record of every call, with the policy's rule and the ids of its receipt and its approval item. */
function gateAudit(
  storage: GuardStorage,
  log: (message: string) => void,
): Observer<GateFacts, unknown, Context, GateNotes> {
  return audit({
    write(record, call) {
      // A call that asks is made again with the answer, and recorded then.
      if (record.outcome === "asked") return;
      return storage
        .record({
          ...record,
          ...endingOf(call),
          decision: call.context.admitted?.decision ?? decisionOf(call).rule,
          ...idsOf(call),
        })
        .catch((error: Error) =>
          log(`A call of ${record.tool} is missing in the audit log: ${error.message}`),
        );
    },
  });
}

/** An error that the server answered with is a failed call, although it was carried out. */
function endingOf({ outcome }: GateCall) {
  if (outcome.ok === null) return {};
  const error = protocolErrorIn(outcome);
  if (error !== undefined) return { outcome: "failed", code: `protocol_error ${error.code}` } as const;
  if (!outcome.ok) return {};
  // Values of this product are answers of the upstream server.
  const answer = outcome.value as UpstreamAnswer;
  const isError = "result" in answer && answer.result.isError === true;
  return isError ? ({ outcome: "failed", code: "tool_error" } as const) : {};
}

function idsOf({ outcome, context, annotations }: GateCall) {
  const details = outcome.ok === false ? (outcome.failure.details ?? {}) : {};
  const receiptId = details.receipt_id ?? annotations.receipt_id ?? context.receiptId;
  const itemId = details.item_id ?? context.itemId;
  return {
    ...(typeof receiptId === "string" && { receiptId }),
    ...(typeof itemId === "number" && { itemId }),
  };
}
