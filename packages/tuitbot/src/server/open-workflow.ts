import { randomUUID } from "node:crypto";
import { type Clock, type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { HOUR_MS, MINUTE_MS } from "@toolpact/contract/internal";
import { type BudgetCaps, newBill } from "@toolpact/contract/internal/guards";
import { microsOf } from "@toolpact/contract/internal/money";
import type { Agent } from "../agents/agent.ts";
import type { Workflow } from "../app/services.ts";
import { type WorkflowStatus, workflowStatus } from "../app/workflow-status.ts";
import { approvalStorage, insertItemIn, releasingCount } from "../approval/queue.ts";
import {
  approvedItem,
  type Execute,
  type MayStillDecide,
  type ReleaseContext,
  resumeReleases,
} from "../approval/release.ts";
import { audit, telemetry } from "../audit/observers.ts";
import type { EffectiveConfig } from "../config/effective-config.ts";
import { problemLine } from "../config/problem.ts";
import type { Config } from "../config/schema.ts";
import { uploadMicros } from "../drafts/draft-media.ts";
import { TOO_LATE_MS } from "../drafts/schedule.ts";
import { errors } from "../errors.ts";
import { fileDigests, publishedMedia } from "../guards/approval/media-bytes.ts";
import { BY_ITSELF } from "../guards/budget/bill.ts";
import { type CallPlan, mediaIdsOf, type TuitbotCatalog } from "../guards/call/tool-facts.ts";
import { guardDependencies, xForCall } from "../guards/guard-dependencies.ts";
import type { SecondOpinion } from "../guards/mutation/safety.ts";
import { type Policy, policyFrom } from "../guards/policy/policy.ts";
import { type Preview, previewMutation } from "../guards/preview.ts";
import { identityOf } from "../guards/receipts/receipt.ts";
import { unsettledCount } from "../guards/receipts/receipt-queries.ts";
import { readTexts } from "../injection/read-texts.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import type { Session } from "../storage/store.ts";
import type { XConnection } from "../x/connect-x.ts";
import { fullCatalog } from "./catalog.ts";
import { bindWorkflow } from "./guard-stacks.ts";
import { type SessionKeeper, sessionKeeper } from "./open-session.ts";
import type { Persistence } from "./persistence.ts";
import { watchApprovals } from "./watch-approvals.ts";

export interface WorkflowSetting {
  readonly catalog: TuitbotCatalog;
  readonly config: EffectiveConfig;
  readonly connection: XConnection;
  readonly persistence: Persistence;
  readonly clock: Clock;
  /** The longest wait for one answer of X. */
  readonly timeoutMs: number;
  /** Carries a tool out through the whole pipeline, because a person approved it. */
  readonly execute: Execute;
  readonly call: Workflow["call"];
  readonly llm: Workflow["llm"];
  readonly secondOpinion: SecondOpinion | undefined;
}

/** The parts of `write` and `admin` that run calls under policy, approval and receipts. */
export interface OpenWorkflow {
  readonly stackFor: ReturnType<typeof bindWorkflow>;
  readonly observers: readonly ReturnType<typeof audit>["observer"][];
  readonly openStored: SessionKeeper["openStored"];
  readonly releasing: (signal: AbortSignal) => Promise<Outcome<ReleaseContext, Failure>>;
  readonly workflow: Workflow;
  /** The state for a caller, which may be an agent with separate caps. */
  readonly status: (signal: AbortSignal, agent?: Agent) => Promise<WorkflowStatus>;
  readonly reach: SessionKeeper["reach"];
  readonly database: SessionKeeper["database"];
  /** The background work of a running server: it resolves what other processes left open, and deletes old history. */
  readonly startBackgroundWork: (signal: AbortSignal) => Promise<Outcome<"started", Failure>>;
  /** Calls back with the address of each approval that changes, until the workflow is closed. */
  readonly watch: (onChange: (uri: string) => void) => void;
  readonly close: () => Promise<void>;
}

/** Nothing is opened before the first call that needs it. */
export function openWorkflow(setting: WorkflowSetting): OpenWorkflow {
  const { catalog, connection, config, persistence, timeoutMs, execute } = setting;
  const { values } = config;
  // Everything that is stored is kept by X's clock, whatever the clock of this machine says.
  const now = () => connection.xTime.now();
  const clock: Clock = { ...setting.clock, now };
  const session = sessionKeeper(persistence, connection, clock, {
    ownsApp: values.x_api.owns_app,
    configuredAs: config.account,
  });
  const measuring = telemetry({ session: session.current, clock });
  const log = audit(session.current);
  const policy = policyIn(config);
  const caps = capsOf(values.budget);
  const { roots } = values.media;
  const approvalKey = () => persistence.approvalKey().then((key) => ok(key), unusableKey);
  const texts = readTexts();
  const dependencies = guardDependencies({
    openAccount: session.open,
    openStored: session.openStored,
    openLedger: session.ledger,
    connection,
    policy,
    settings: values,
    read: texts.all,
    caps,
    approvalsOf: (account) => approvalStorage(account, approvalKey, mayStillDecide(account)),
    approvalLifeMs: values.approvals.expires_hours * HOUR_MS,
    mediaRoots: roots,
    secondOpinion: setting.secondOpinion,
    clock,
    timeoutMs,
    lateEffectMs: values.x_api.late_effect_ms,
  });
  const { leaseMs, resolveLeftovers } = dependencies;
  let stopBackgroundWork = () => {};
  let watching: ReturnType<typeof watchApprovals> | undefined;

  function mayStillDecide({ account }: Pick<Session, "account">): MayStillDecide {
    return async (db, by) => {
      const people = await import("../app/sign-in/people.ts");
      return people.mayStillDecide({ db, account }, config.people, by);
    };
  }

  async function releasing(signal: AbortSignal): Promise<Outcome<ReleaseContext, Failure>> {
    const opened = await session.openStored(signal);
    if (!opened.ok) return opened;
    const key = await approvalKey();
    if (!key.ok) return key;
    const { store, account } = opened.value;
    return ok({
      store,
      account,
      key: key.value,
      now,
      leaseMs,
      mediaOf: ({ tool, args, schedule }) =>
        schedule === undefined
          ? publishedMedia(store.db, account, args, mediaIdsOf(planOf(catalog, tool, args)), roots)
          : fileDigests(
              schedule.media.map(({ file_path }) => String(file_path)),
              roots,
            ),
      execute,
      mayStillDecide: mayStillDecide({ account }),
    });
  }

  /** Finds out what became of calls with an open outcome, and continues approved ones. */
  async function settle(signal: AbortSignal): Promise<void> {
    const ready = await releasing(signal);
    if (!ready.ok) return;
    const { store, account } = ready.value;
    const open = (await unsettledCount(store.db, account)) + (await releasingCount(store.db));
    if (open === 0) return;
    const opened = await session.open(signal);
    if (!opened.ok) return;
    await resolveLeftovers(opened.value, signal);
    await resumeReleases(ready.value, (name) => catalog.get(name) !== undefined);
  }

  /** Predicts the result of a call at a certain time. */
  async function preview(
    name: string,
    args: JsonObject,
    signal: AbortSignal,
    { at = now(), read = texts.all() }: { readonly at?: number; readonly read?: readonly string[] } = {},
  ): ReturnType<Workflow["preview"]> {
    const tool = catalog.get(name);
    const parsed = tool?.parse(args) ?? failed(`There is no tool ${name} here.`);
    if (tool === undefined || !parsed.ok)
      return failed({ code: "invalid_input", message: parsed.ok ? "" : parsed.failure });
    const opened = await session.openStored(signal);
    if (!opened.ok) return opened;
    const call = { ...parsed.value, tool, caller: { transport: "stdio" } as const };
    return orStorageFailure(async () => {
      const preview = await previewMutation(call, {
        ...opened.value,
        policy,
        caps,
        access: connection.access,
        business: values.business,
        read,
        now: at,
      });
      return preview === undefined
        ? failed({ code: "invalid_input", message: `${name} changes nothing at X.` })
        : ok({ ...preview, input: parsed.value.input });
    });
  }

  return {
    stackFor: bindWorkflow({ ...dependencies, config, readTexts: texts }),
    observers: [log.observer, measuring.observer],
    openStored: session.openStored,
    releasing,
    reach: session.reach,
    database: session.database,
    status: (signal, agent) =>
      workflowStatus(session, { approvalKey, policy, caps, agent, now: now() }, signal),
    workflow: {
      policy,
      caps,
      access: connection.access,
      checkSignIn: session.open,
      signInId: connection.signInId,
      approvalKey,
      xFor: (bill) => xForCall(connection, { bill }),
      slots: values.schedule,
      approvals: values.approvals,
      mediaRoots: roots,
      maxBatch: values.max_batch_approve,
      now,
      after: (ms, callback) => clock.after(ms, callback),
      flushTelemetry: measuring.flush,
      call: setting.call,
      llm: setting.llm,
      settle,
      async readContext(name, args, signal) {
        const tool = catalog.get(name);
        const parsed = tool?.parse(args);
        const opened = await session.open(signal);
        if (tool === undefined || !parsed?.ok || !opened.ok) return undefined;
        const { account, ledger } = opened.value;
        const bill = newBill({ callId: "context", tool: name, by: BY_ITSELF, ledger, caps, now });
        const read = await dependencies.contextOf({ ...parsed.value, tool, signal }, account, bill);
        return read.context;
      },
      async approvedItem(id, signal) {
        const ready = await releasing(signal);
        return ready.ok ? approvedItem(ready.value, id) : ready;
      },
      async askToSchedule({ tool, posts, media: files, note, isByAgent = false }, signal) {
        const previews: Preview[] = [];
        for (const { args, at } of posts) {
          const previewed = await preview(tool, args, signal, { at, ...(!isByAgent && { read: [] }) });
          if (!previewed.ok) return previewed;
          previews.push(previewed.value);
        }
        const decision = previews
          .map((previewed) => previewed.decision)
          .find(({ kind }) => kind === "require_approval");
        if (decision?.kind !== "require_approval") return ok(undefined);
        const ready = await releasing(signal);
        if (!ready.ok) return ready;
        const { key, account } = ready.value;
        const paths = files.map(({ file_path }) => file_path);
        const media = await fileDigests(paths, roots);
        if (!media.ok) return media;
        const estimatedMicros = previews.reduce(
          (sum, { estimatedUsd }) => sum + microsOf(estimatedUsd),
          uploadMicros(files),
        );
        const last = Math.max(now(), ...posts.map(({ at }) => at));
        return ok(async (db, args, schedule) => {
          const item = await insertItemIn(db, account, key, {
            claim: identityOf(account, tool, args).claim,
            tool,
            args,
            media: media.value,
            schedule,
            ruleId: decision.ruleId,
            reason: decision.reason,
            agentNote: note,
            peopleNeeded: decision.peopleNeeded,
            estimatedMicros,
            correlationId: randomUUID(),
            isByPerson: true,
            now: now(),
            expiresAt: last + TOO_LATE_MS,
          });
          if (item === undefined) throw new Error("A new schedule has a key that was used before.");
          return item.id;
        });
      },
      preview: (name, args, signal) => preview(name, args, signal),
    },
    async startBackgroundWork(signal) {
      const opened = await session.open(signal);
      if (!opened.ok) return opened;
      const ready = await releasing(signal);
      if (!ready.ok) return ready;
      const { deleteOldRowsDaily } = await import("../storage/retention.ts");
      const stopDeleting =
        persistence.shared?.isTidiedBy(config.account) === false
          ? () => {}
          : deleteOldRowsDaily(ready.value.store, values.storage.retention_days, clock);
      let cancel = () => {};
      const settlePeriodically = async (): Promise<Outcome<"started", Failure>> => {
        cancel = clock.after(SETTLE_MS, () => void settlePeriodically());
        return orStorageFailure(async () => {
          await settle(signal);
          return ok("started" as const);
        });
      };
      stopBackgroundWork = () => {
        stopDeleting();
        cancel();
      };
      return settlePeriodically();
    },
    watch(onChange) {
      watching ??= watchApprovals({
        place: persistence.store,
        shared: persistence.shared,
        async session() {
          const opened = await session.openStored(AbortSignal.timeout(timeoutMs));
          return opened.ok ? opened.value : undefined;
        },
        onChange,
      });
    },
    async close() {
      stopBackgroundWork();
      await (await watching)?.();
      await log.flush();
      await measuring.stop();
      await session.close();
    },
  };
}

/** How often a server looks for what dead processes on the same database left open. */
const SETTLE_MS = MINUTE_MS;

/** The plan of a stored call; undefined if its tool or its arguments are no longer accepted. */
function planOf(catalog: TuitbotCatalog, tool: string, args: JsonObject): CallPlan {
  const parsed = catalog.get(tool)?.parse(args);
  return (parsed?.ok && parsed.value.plan()) || {};
}

function policyIn({ values, approvalMode }: EffectiveConfig): Policy {
  const declared = { approvalMode, aiRepliesAgreed: values.x_api.ai_replies_agreed };
  const policy = policyFrom(values, declared, fullCatalog.tools);
  // A configuration is checked for this when it is loaded.
  if (!policy.ok) throw new Error(policy.failure.map(problemLine).join(" "));
  return policy.value;
}

function capsOf(budget: Config["budget"]): BudgetCaps {
  const { max_usd_per_call, max_usd_per_day, max_usd_per_month, unlimited } = budget;
  const micros = (usd: number | undefined) => (usd === undefined ? undefined : microsOf(usd));
  return {
    perCall: micros(max_usd_per_call),
    ...(!unlimited && { perDay: micros(max_usd_per_day), perMonth: micros(max_usd_per_month) }),
  };
}

function unusableKey(): Outcome<never, Failure<"policy_error">> {
  return errors.fail("policy_error", "The key that binds approvals to their content cannot be used.", {
    suggestedFix: "Run `tuitbot doctor`.",
    fixBy: "operator",
  });
}
