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
import type { Exchange } from "./exchange.ts";
import { askThrough, forwardTo } from "./exchange.ts";
import {
  type GateContext,
  type GateFacts,
  type GateNotes,
  gateProduct,
  protocolErrorIn,
} from "./gate-product.ts";
import { gateStack } from "./gate-stack.ts";
import { PendingExchanges } from "./pending-exchanges.ts";
import type { Policy } from "./policy.ts";
import { type GateParts, serveClient } from "./serve-client.ts";
import { Upstream, type UpstreamInfo, type UpstreamPlace } from "./upstream.ts";
import { type UpstreamAnswer, UpstreamCatalog } from "./upstream-catalog.ts";
import { UpstreamNotifications } from "./upstream-notifications.ts";

export interface GateOptions {
  readonly place: UpstreamPlace;
  readonly policy: Policy;
  readonly storage: GuardStorage;
  /** Signs questions; the same for every gate of the policy. */
  readonly questionKey: Uint8Array;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/** A gate in front of a server: an app for the transports. */
export interface Gate {
  readonly app: McpApp;
  readonly info: UpstreamInfo;
  readonly close: () => Promise<void>;
}

/** Connects to the upstream server and applies the policy to its tools. */
export async function openGate({
  policy,
  storage,
  clock,
  log,
  place,
  questionKey,
}: GateOptions): Promise<Gate> {
  /** Exchanges with a request at the upstream server. */
  const atServer = new Set<Exchange>();
  const notifications = new UpstreamNotifications(atServer);
  let isOpen = false;
  const upstream = new Upstream(
    place,
    { elicitation: { form: {}, url: {} }, sampling: {}, ...(policy.passesRoots && { roots: {} }) },
    {
      async notified(method, params) {
        if (method === "notifications/tools/list_changed")
          await catalog
            .refresh()
            .catch((error: Error) => log(`The tools cannot be listed: ${error.message}`));
        await notifications.pass(method, params);
      },
      asked: (method, params) => askThrough(atServer, method, params),
      lost: () => {
        if (isOpen)
          log("The server has ended, or its connection is closed. The next request connects again.");
      },
    },
  );
  const catalog = new UpstreamCatalog(upstream, policy);
  const info = await opened(upstream, catalog);
  isOpen = true;
  const forward = forwardTo(upstream, atServer, policy.timeoutMs);
  const stack = gateStack(policy, (name) => catalog.definitionNow(name)).bind({
    clock,
    guardStorage: storage,
  });
  const pipeline = createPipeline({
    product: gateProduct,
    catalog,
    stackFor: () => stack,
    services: provideServices(gateProduct, {
      forward: (context) =>
        context.forward === undefined
          ? failed({ message: "The call has no upstream." })
          : ok(context.forward),
    }),
    observers: [gateAudit(storage, log)],
    onBug: (bug) => log(bugText(bug)),
    clock,
  });
  const parts: GateParts = {
    policy,
    info,
    upstream,
    catalog,
    pipeline,
    exchanges: new PendingExchanges({ clock, key: questionKey }),
    notifications,
    forward,
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
          forward: (given) => forward("tools/call", { name: tool, arguments: given }, undefined),
          releasedItem: id,
        },
      },
    onReleased: ({ id, tool }, answer) => {
      const failure = answer.kind === "rendered" && !answer.outcome.ok ? answer.outcome.failure : undefined;
      log(`Item ${id} (${tool}) was released: ${failure?.code ?? "sent"}.`);
    },
    onError: ({ message }) => log(`Approved calls cannot be sent: ${message}`),
  });

  return {
    info,
    app: {
      surface: {
        name: info.name,
        version: info.version,
        instructions: info.instructions ?? "",
        scopes: {},
        resources: [],
        resourceTemplates: [],
        prompts: [],
        get tools() {
          return catalog.listed;
        },
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
      await upstream.close();
    },
  };
}

/** The server's description of itself. A gate that cannot open closes the connection. */
async function opened(upstream: Upstream, catalog: UpstreamCatalog): Promise<UpstreamInfo> {
  try {
    const info = await upstream.info();
    if (info.capabilities.tools !== undefined) await catalog.refresh();
    return info;
  } catch (error) {
    await upstream.close();
    throw error;
  }
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
        .record({ ...record, ...endingOf(call), decision: call.tool.facts.rule, ...idsOf(call) })
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
