import { createHmac } from "node:crypto";
import {
  type Clock,
  type Failure,
  failed,
  type Observer,
  type Outcome,
  ok,
  once,
  skillResource,
  systemClock,
} from "@toolpact/contract";
import {
  bugText,
  type CallRequest,
  createPipeline,
  gauge,
  type McpCore,
  type Metric,
  type Missing,
  type Pipeline,
  provideServices,
  type Services,
} from "@toolpact/contract/internal";
import { type Agent, agentId } from "../agents/agent.ts";
import { agentWithSubject, agentWithToken } from "../agents/agents.ts";
import type { ServerState, ToolList, Workflow } from "../app/services.ts";
import { type CallResult, callResultFrom } from "../approval/release.ts";
import { approvalTasks } from "../approval/task.ts";
import type { EffectiveConfig } from "../config/effective-config.ts";
import { repliesTo } from "../discovery/remember.ts";
import type { CallContext } from "../guards/call/call-context.ts";
import type { TuitbotCatalog, TuitbotTool } from "../guards/call/tool-facts.ts";
import { xForCall } from "../guards/guard-dependencies.ts";
import { recentCallsInMemory } from "../guards/stack/recent-calls-file.ts";
import { isWorkflowProfile, type Profile, profiles } from "../profiles.ts";
import { spendAnswer } from "../storage/spent-answers.ts";
import { answerLimit } from "../tools/paging.ts";
import { product } from "../tools/product.ts";
import { version } from "../version.ts";
import type { Llm, Writer } from "../writing/llm.ts";
import type { ModelLlm } from "../writing/model-llm.ts";
import { secondOpinion } from "../writing/second-opinion.ts";
import { askWhoAmI, connectX, WHO_AM_I_MS, type XAccount } from "../x/connect-x.ts";
import { type Connection, connectionFrom } from "../x/connection.ts";
import { unknownTool } from "./catalog.ts";
import { bindPlain, taskFormat } from "./guard-stacks.ts";
import { type OpenWorkflow, openWorkflow } from "./open-workflow.ts";
import { inMemory, type Persistence } from "./persistence.ts";
import { promptsFor } from "./prompts.ts";
import { guidesFor, resourcesFor, skillsFor } from "./resources.ts";

export interface CoreSetting {
  readonly profile: Profile;
  /** The tools of the profile, possibly narrowed. */
  readonly catalog: TuitbotCatalog;
  /** The shorter list, if clients see fewer tools than they can call. */
  readonly toolList?: ToolList | undefined;
  readonly config: EffectiveConfig;
  readonly account: XAccount;
  /** Only `write` and `admin` store more than a key; in memory by default. */
  readonly persistence?: Persistence | undefined;
  /** The language model that writes texts. */
  readonly llm?: ((signal: AbortSignal) => Promise<Outcome<Llm, Missing>>) | undefined;
  /** The model that judges replies; absent where none is configured. */
  readonly judge?: (() => Promise<Outcome<ModelLlm, Missing>>) | undefined;
  readonly clock?: Clock;
  /** Additional observers of every call, after those of the workflow. */
  readonly observers?: readonly Observer[] | undefined;
  /** Writes a line for the operator, with the reference that the caller was given; to stderr by default. */
  readonly log?: ((message: string, reference: string) => void) | undefined;
}

/** The dependencies of calls, for one server. */
export interface Core extends McpCore {
  readonly pipeline: Pipeline<CallContext>;
  readonly services: Services<CallContext>;
  /** The agent that may call now with what it has shown. Throws while the database cannot be used. */
  readonly agentWith: (proof: AgentProof) => Promise<Agent | undefined>;
  /** Whether X can be used now. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
  /**
   * The background work of a running server: it checks its sign-in and, where it stores anything, settles open
   * receipts. Returns what the operator should know.
   */
  readonly startBackgroundWork: (signal: AbortSignal) => Promise<string | undefined>;
  /** The reason it cannot serve calls, without details; undefined if it can. */
  readonly notReady: () => Promise<string | undefined>;
  /** Metrics about stored data and the database. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** Writes what is left to write and closes the database. */
  readonly close: () => Promise<void>;
}

/** How an agent shows who it is: by its own token, or as an issuer names it. */
export type AgentProof = { readonly token: string } | { readonly subject: string };

export function createCore(setting: CoreSetting): Core {
  const { profile, catalog, config, account, clock = systemClock } = setting;
  const log = setting.log ?? ((message: string) => console.error(`tuitbot: ${message}`));
  const isWorkflow = isWorkflowProfile(profile);
  const persistence = setting.persistence ?? inMemory();
  const recentCalls = persistence.recentCalls ?? recentCallsInMemory();
  const connection = connectX(account, {
    handleKey: persistence.approvalKey,
    requireJournal: isWorkflow || profile === "utility-write",
    asksAnyway: profile === "utility-write",
  });
  const workflow: OpenWorkflow | undefined = isWorkflow
    ? openWorkflow({
        catalog,
        config,
        connection,
        persistence,
        clock,
        timeoutMs: account.timeoutMs,
        execute: (tool, args, release) =>
          ownCall({ tool, args, caller: { transport: "cli", client: "approval" }, context: { release } }),
        call: callsFor({}),
        llm,
        secondOpinion: setting.judge && secondOpinion(setting.judge, () => clock.now()),
      })
    : undefined;
  const serverFor = (context: CallContext): ServerState => ({
    profile: profiles.find((name) => name === context.agent?.profile) ?? profile,
    version,
    tools: catalog.tools.filter((tool) => isOffered(tool, context.agent)),
    toolList: setting.toolList,
    guides: () => guidesFor(catalog),
    access: connection.access,
    connection: async (signal) => {
      const { client, scopes } = xForCall(connection, context);
      const inTime = new AbortController();
      const stop = clock.after(WHO_AM_I_MS, () => inTime.abort());
      const until = signal === undefined ? inTime.signal : AbortSignal.any([signal, inTime.signal]);
      const me = await askWhoAmI(client, until);
      stop();
      return connectionFrom(me, scopes(), connection.xTime.aheadMs);
    },
    signInId: connection.signInId,
    workflowStatus: workflow && ((signal) => workflow.status(signal, context.agent)),
    recentCalls: profile === "utility-write" ? recentCalls.check : undefined,
    repliesTo:
      workflow &&
      (async (ids, signal) => {
        const stored =
          context.account === undefined ? await workflow.openStored(signal) : ok(context.account);
        return stored.ok ? repliesTo(stored.value, ids) : undefined;
      }),
    writer: isWorkflow ? writer : undefined,
  });
  const openLlm = once(async (signal: AbortSignal) => setting.llm?.(signal) ?? noLlm());
  const services = provideServices(product, {
    x: (context: CallContext) => ok(xForCall(connection, context)),
    config: () => ok(config),
    server: (context) => ok(serverFor(context)),
    db: (context, signal) =>
      context.account === undefined
        ? (workflow?.openStored(signal) ?? storesNothing(profile))
        : ok(context.account),
    approvals: (_, signal) => workflow?.releasing(signal) ?? storesNothing(profile),
    // Calls that a tool makes for an agent are under the limits of that agent.
    workflow: ({ agent }) =>
      workflow === undefined
        ? storesNothing(profile)
        : ok(agent === undefined ? workflow.workflow : { ...workflow.workflow, call: callsFor({ agent }) }),
    llm: (_, signal) => openLlm(signal),
  });
  /** Calls that tools and loops make, for an agent if it is given. */
  function callsFor({ agent }: Pick<CallContext, "agent">): Workflow["call"] {
    return (tool, args, by, signal, release) =>
      ownCall({
        tool,
        args,
        caller: { transport: "stdio", client: by, ...(agent && { principal: agentId(agent) }) },
        signal,
        context: { agent, ...(release && { release }) },
      });
  }
  /** A call that no client made, through the whole pipeline. */
  async function ownCall(call: CallRequest<CallContext>): Promise<CallResult> {
    return callResultFrom(await pipeline.call({ ...call, context: { ...call.context, isOwnCall: true } }));
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
    stackFor: workflow?.stackFor ?? bindPlain(profile, setting.clock ?? account.clock, recentCalls),
    services,
    answerLimit,
    unknownTool: (name, nearest) => unknownTool(name, nearest, profile, catalog),
    observers: [...(workflow?.observers ?? []), ...(setting.observers ?? [])],
    onBug: (bug) => log(bugText(bug), bug.reference),
    // Calls are recorded by X's clock, like everything else that is stored.
    clock: { ...clock, now: () => connection.xTime.now() },
  });
  const server = serverFor({});
  return {
    pipeline,
    services,
    resources: [...resourcesFor(profile, catalog), ...skillsFor(catalog).map(skillResource)],
    prompts: promptsFor(catalog),
    // All servers of a database share a key, because the answer to a question may reach a different server. Without a
    // usable key, this process signs its questions with a temporary one.
    stateKey: () =>
      persistence.approvalKey().then(
        (key) => createHmac("sha256", key).update("state of questions").digest("hex"),
        () => undefined,
      ),
    spendAnswer: async (id, expiresAt) => {
      if (workflow === undefined) return true;
      const reached = await workflow.reach();
      // If it cannot be stored, the user is asked again.
      return reached.ok && spendAnswer(reached.value.db, `question ${id}`, { now: Date.now(), expiresAt });
    },
    ...(workflow !== undefined && {
      watch: workflow.watch,
      tasks: approvalTasks({
        async open() {
          const ready = await workflow.releasing(AbortSignal.timeout(account.timeoutMs));
          return ready.ok ? ready.value : undefined;
        },
        render: ({ correlationId: id, tool }, outcome, decisions) =>
          taskFormat(config).render(outcome, {
            call: { id, tool, action: undefined },
            elapsedMs: 0,
            annotations: { decisions },
            warnings: [],
          }).envelope ?? {},
      }),
    }),
    agentWith: async (proof) => {
      if (workflow === undefined) return undefined;
      const opened = await workflow.database();
      if (!opened.ok) throw new Error(opened.failure.message);
      const { db } = opened.value;
      const now = Date.now();
      if ("token" in proof) return agentWithToken(db, proof.token, now);
      const agent = await agentWithSubject(db, proof.subject, now);
      if (agent?.client === undefined) return agent;
      const { isOwned } = await import("../app/sign-in/active-agents.ts");
      return (await isOwned(db, agent, config.people, now)) ? agent : undefined;
    },
    connection: server.connection,
    startBackgroundWork: async (signal) =>
      workflow === undefined
        ? trouble(await server.connection(signal))
        : notStarted(await workflow.startBackgroundWork(signal)),
    notReady: async () =>
      workflow === undefined || (await workflow.reach()).ok ? undefined : "The database cannot be used.",
    metrics: async () => (workflow === undefined ? [] : workflowMetrics(workflow)),
    close: async () => workflow?.close(),
  };
}

/** True if the tool is in the caller's profile: an agent sees only the tools of its profile. */
function isOffered({ profiles: of }: TuitbotTool, agent: Agent | undefined): boolean {
  return agent === undefined || of.includes(agent.profile);
}

function trouble(connection: Connection): string | undefined {
  return connection.status === "ok" ? undefined : `${connection.message} ${connection.fix}`;
}

function notStarted(started: Outcome<"started", Failure>): string | undefined {
  return started.ok ? undefined : [started.failure.message, started.failure.suggestedFix].join(" ").trim();
}

function noLlm(): Outcome<never, Missing> {
  return failed({
    message: "No language model is set up.",
    suggestedFix: "The operator sets llm.provider.",
    fixBy: "operator",
  });
}

function storesNothing(profile: Profile): Outcome<never, Failure> {
  return failed({ code: "db_error", message: `The profile ${profile} stores nothing.` });
}

/** The database, its connections, and what waits in it, as figures. */
async function workflowMetrics({
  reach,
  status,
}: Pick<OpenWorkflow, "reach" | "status">): Promise<readonly Metric[]> {
  const store = await reach();
  const up = gauge("tuitbot_database_up", "Whether the database can be used.", store.ok ? 1 : 0);
  if (!store.ok) return [up];
  const pool = store.value.pool?.();
  const known = await status(AbortSignal.timeout(STATUS_MS));
  return [
    up,
    ...(pool === undefined
      ? []
      : [
          gauge("tuitbot_database_connections", "Open connections to PostgreSQL.", pool.open),
          gauge("tuitbot_database_connections_idle", "Those of them that nobody uses.", pool.idle),
          gauge("tuitbot_database_waiting", "Queries that wait for a connection.", pool.waiting),
        ]),
    ...(known.status === "ok"
      ? [
          gauge("tuitbot_approvals_pending", "Calls that wait for a person.", known.pendingApprovals),
          gauge("tuitbot_receipts_unsettled", "Calls whose outcome is not known.", known.unsettledReceipts),
          gauge(
            "tuitbot_runner_alive",
            "Whether a runner publishes what is due.",
            known.runner.isAlive ? 1 : 0,
          ),
        ]
      : []),
  ];
}

const STATUS_MS = 5_000;
