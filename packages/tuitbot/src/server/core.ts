import {
  type Catalog,
  type Clock,
  createPipeline,
  type Failure,
  failed,
  type McpCore,
  type Missing,
  type Outcome,
  ok,
  once,
  type Pipeline,
  provideServices,
  type Services,
  systemClock,
} from "@toolpact/contract";
import { executedFrom } from "../approval/executed.ts";
import type { Executed } from "../approval/release.ts";
import type { ConfigInForce } from "../config/config-in-force.ts";
import { meteredByCall, sendMeteredByCall } from "../mutation/budget/metered-client.ts";
import { ownCalls } from "../mutation/receipts/call-identity.ts";
import { receiptedFetch } from "../mutation/receipts/receipted-fetch.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { product } from "../tools/product.ts";
import type { ServerState } from "../tools/services/server-state.ts";
import { version } from "../version.ts";
import type { Llm, Writer } from "../writing/llm.ts";
import { askWhoAmI, connectX } from "../x/connect-x.ts";
import { type Connection, connectionFrom } from "../x/connection.ts";
import { createSpending } from "../x/spending.ts";
import type { X } from "../x/x.ts";
import type { XAccount } from "../x/x-account.ts";
import { plainStacks, workflowStacks } from "./guard-stacks.ts";
import { type Keeping, keepingNothing } from "./keeping.ts";
import { type OpenWorkflow, openWorkflow } from "./open-workflow.ts";
import { promptsFor } from "./prompts.ts";
import { resourcesFor } from "./resources.ts";

export interface CoreSetting {
  readonly profile: Profile;
  /** The tools of the profile, possibly narrowed. */
  readonly catalog: Catalog;
  readonly config: ConfigInForce;
  readonly account: XAccount;
  /** Only profiles under policy and approval keep more than a key; in memory unless this says where. */
  readonly keeping?: Keeping | undefined;
  /** Whoever writes. */
  readonly llm?: ((signal: AbortSignal) => Promise<Outcome<Llm, Missing>>) | undefined;
  readonly clock?: Clock;
}

/** Everything that calls need. */
export interface Core extends McpCore {
  readonly pipeline: Pipeline;
  readonly services: Services;
  /** How it stands with X now. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
  /**
   * What a server does by itself once it runs: it tries its sign-in out and, where it keeps anything, settles what
   * was left open. Answers with what the operator should know.
   */
  readonly wake: (signal: AbortSignal) => Promise<string | undefined>;
  /** Writes down what is left to write and lets go of the database. */
  readonly close: () => Promise<void>;
}

export function createCore(setting: CoreSetting): Core {
  const { profile, catalog, config, account, clock = systemClock } = setting;
  const isWorkflow = isWorkflowProfile(profile);
  const keeping = setting.keeping ?? keepingNothing();
  const spending = createSpending();
  const connection = isWorkflow
    ? connectX({ ...account, fetch: receiptedFetch(account.fetch) }, keeping.approvalKey)
    : connectX(account, keeping.approvalKey);
  const { client, send, sendToAds } = connection;
  const x: X = isWorkflow
    ? {
        ...connection,
        client: meteredByCall(client),
        send: sendMeteredByCall(send),
        ...(sendToAds && { sendToAds: sendMeteredByCall(sendToAds) }),
      }
    : { ...connection, client: spending.metered(client) };
  const workflow: OpenWorkflow | undefined = isWorkflow
    ? openWorkflow({
        catalog,
        config,
        x,
        client,
        keeping,
        clock,
        timeoutMs: account.timeoutMs,
        execute: (tool, args) => ownCall({ tool, args, caller: { transport: "cli", client: "approval" } }),
        call: (tool, args, by, signal) =>
          ownCall({ tool, args, caller: { transport: "stdio", client: by }, signal }),
        llm,
      })
    : undefined;
  const server: ServerState = {
    profile,
    version,
    tools: catalog.tools,
    access: x.access,
    connection: async (signal) => connectionFrom(await askWhoAmI(x.client, signal), x.scopes()),
    standing: workflow?.standing,
    writer: isWorkflow ? writer : undefined,
  };
  const releasing = once(async (signal: AbortSignal) => workflow?.releasing(signal) ?? keepsNothing(profile));
  const openLlm = once(async (signal: AbortSignal) => setting.llm?.(signal) ?? nobodyWrites());
  const services = provideServices(product, {
    x: async () => ok(x),
    config: async () => ok(config),
    server: async () => ok(server),
    db: async (_context, signal) => workflow?.session(signal) ?? keepsNothing(profile),
    approvals: (_context, signal) => releasing(signal),
    workflow: async () => (workflow === undefined ? keepsNothing(profile) : ok(workflow.workflow)),
    llm: (_context, signal) => openLlm(signal),
  });
  /** A call that no client made, through the whole pipeline. */
  async function ownCall(call: Parameters<Pipeline["call"]>[0]): Promise<Executed> {
    return executedFrom(await ownCalls.run(true, () => pipeline.call(call)));
  }
  async function llm(signal: AbortSignal): Promise<Outcome<Llm, Failure>> {
    const resolved = await services.resolve(["llm"], {}, signal);
    // Exactly the service that was asked for.
    return resolved.ok ? ok((resolved.value as { readonly llm: Llm }).llm) : resolved;
  }
  async function writer(signal: AbortSignal): Promise<Outcome<Writer, Failure>> {
    const opened = await llm(signal);
    return opened.ok ? ok(opened.value.writer) : opened;
  }
  const pipeline = createPipeline({
    catalog,
    product,
    stackFor:
      workflow === undefined
        ? plainStacks(profile, spending, clock)
        : workflowStacks(
            workflow.guards,
            () => ({ mode: config.values.mode, approval_mode: config.approvalMode }),
            clock,
          ),
    services,
    onBug: ({ reference, where, error }) =>
      // The trace alone: what else an error carries may hold a request and its token.
      console.error(
        `tuitbot: ${where} failed (${reference}): ${error instanceof Error ? error.stack : "unknown"}`,
      ),
    clock,
  });
  return {
    pipeline,
    services,
    resources: resourcesFor(profile, catalog),
    prompts: promptsFor(catalog),
    connection: server.connection,
    wake: async (signal) =>
      workflow === undefined ? trouble(await server.connection(signal)) : woken(await workflow.wake(signal)),
    close: async () => workflow?.close(),
  };
}

function trouble(connection: Connection): string | undefined {
  return connection.status === "ok" ? undefined : `${connection.message} ${connection.fix}`;
}

function woken(awake: Outcome<"awake", Failure>): string | undefined {
  return awake.ok ? undefined : [awake.failure.message, awake.failure.suggestedFix].join(" ").trim();
}

function nobodyWrites(): Outcome<never, Missing> {
  return failed({
    message: "No language model is set up.",
    suggestedFix: "The operator sets llm.provider.",
    fixBy: "operator",
  });
}

function keepsNothing(profile: Profile): Outcome<never, Failure> {
  return failed({ code: "db_error", message: `The profile ${profile} keeps nothing.` });
}
