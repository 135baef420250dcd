import {
  type Call,
  type Caller,
  EFFECTS,
  type Failure,
  type Guard,
  type Json,
  type JsonObject,
  type Outcome,
  ok,
} from "@toolpact/contract";
import {
  isByPerson,
  MAX_REPORTED,
  type ReportedDecision,
  reportDecisions,
  type WaitingCalls,
} from "@toolpact/contract/internal/guards";
import { type Agent, agentName } from "../../agents/agent.ts";
import type { ErrorCode } from "../../errors.ts";
import type { ReadTexts } from "../../injection/read-texts.ts";
import { orStorageFailure } from "../../storage/storage-error.ts";
import type { Session } from "../../storage/store.ts";
import { transact } from "../../storage/transaction.ts";
import type { PolicyCategory } from "../../x/operation-table.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import { cleanText } from "../../x/untrusted.ts";
import { ROUTED, type Schedule } from "../approval/ask-for-approval.ts";
import { decisionView } from "../approval/decision-view.ts";
import type { AccountLedger } from "../budget/bill.ts";
import type { Account, Annotations, CallContext, TuitbotGuard } from "../call/call-context.ts";
import { type CallPlan, isRaw, type ToolFacts } from "../call/tool-facts.ts";
import type { PolicyAction } from "../policy/decide.ts";
import { limitReached, limitsOfAgent, takePlaces } from "../policy/limits.ts";

export interface AccountDependencies {
  /** On the first call that needs them. */
  readonly openAccount: (signal: AbortSignal) => Promise<Outcome<Account, Failure>>;
  /** Without X, once the account is known. */
  readonly openStored: (signal: AbortSignal) => Promise<Outcome<Account, Failure<"db_error">>>;
  /** Until X names the account. */
  readonly openLedger?: (() => Promise<AccountLedger | undefined>) | undefined;
}

type Asking = Pick<CallContext, "release">;
type Opened = { readonly account: Account } & Pick<CallContext, "agent">;

/** Answers for a database that fails in later steps. */
export const account: TuitbotGuard<AccountDependencies, Asking, Opened> = {
  name: "account",
  codes: () => [...WHO_AM_I, "db_error"],
  async run(call, next, { openAccount }) {
    const { mutates } = EFFECTS[call.effect];
    if (mutates) call.annotate({ correlation_id: call.id });
    const opened = await openAccount(call.signal);
    if (!opened.ok) return opened;
    const account = opened.value;
    return orStorageFailure(async () => {
      // Rows in a deleted file are lost, and the calls would be repeated.
      if (mutates) await account.store.check();
      const agent = await agentBehind(call, account);
      if (agent !== undefined) call.annotate({ agent: agent.name });
      return next({ context: { account, agent } });
    });
  },
};

/** Works without X, and without a sign-in. */
export const storedAccount: TuitbotGuard<AccountDependencies, Asking, Opened> = {
  name: "stored account",
  codes: () => ["db_error"],
  run: (call, next, { openStored }) => account.run(call, next, { openAccount: openStored, openStored }),
};

/** Without a sign-in, the tool reports it, or works without. */
export const accountIfSignedIn: TuitbotGuard<
  AccountDependencies,
  Asking,
  Pick<CallContext, "account" | "agent" | "ledger">
> = {
  name: "account if signed in",
  codes: ({ needs }) => (needs.includes("x") ? ["db_error"] : []),
  async run(call, next, { openAccount, openStored, openLedger }) {
    // Tools that do not ask X need no account.
    const isOfX = call.tool.needs.includes("x");
    if (!isOfX && !call.tool.needs.includes("server")) return next();
    const opened = await (isOfX ? openAccount : openStored)(call.signal);
    if (opened.ok)
      return orStorageFailure(async () => {
        const agent = await agentBehind(call, opened.value);
        if (agent !== undefined) call.annotate({ agent: agent.name });
        return next({ context: { account: opened.value, agent } });
      });
    if (isOfX && opened.failure.code === "db_error") return opened;
    return orStorageFailure(async () => next({ context: { ledger: await openLedger?.() } }));
  },
};

/** For approved calls, the one that requested them. */
async function agentBehind(
  { caller, context }: { readonly caller: Caller; readonly context: Asking },
  { findAgent }: Account,
): Promise<Agent | undefined> {
  const name = agentName(context.release === undefined ? caller.principal : context.release.askedBy);
  return name === undefined ? undefined : findAgent(name);
}

/** X may fail to name the account. */
const WHO_AM_I: readonly ErrorCode[] = [
  "x_not_configured",
  "x_auth_expired",
  "x_forbidden",
  "x_account_restricted",
  "x_rate_limited",
  "x_network_error",
  "x_api_error",
];

interface DecisionsDependencies {
  readonly waitingCalls: WaitingCalls;
}

/** Once, with the next call, including reason or edit. */
export const decisions: TuitbotGuard<DecisionsDependencies, Pick<CallContext, "account" | "isOwnCall">> = {
  name: "decisions",
  codes: () => [],
  async run(call, next, { waitingCalls }) {
    const outcome = await next();
    if (outcome.ok && waits(outcome.value)) call.annotate({ policy_decision: ROUTED });
    const { account, isOwnCall } = call.context;
    if (account === undefined || isOwnCall === true || isByPerson(call.caller)) return outcome;
    await reportDecisions(waitingCalls, call.caller, {
      queued: outcome.ok ? queuedItems(outcome.value) : [],
      async decided(ids) {
        // The call itself has ended, whatever this returns.
        const found = await orStorageFailure(async () => ok(await decisionsAbout(account, ids)));
        return found.ok ? found.value : [];
      },
      report: (decisions) => call.annotate({ decisions }),
    });
    return outcome;
  },
};

/** For comparison with texts that it writes. */
export const rememberTexts: TuitbotGuard<
  { readonly readTexts: ReadTexts },
  Pick<CallContext, "account" | "isOwnCall">
> = {
  name: "remember texts",
  codes: () => [],
  async run(call, next, { readTexts }) {
    const outcome = await next();
    const { account, isOwnCall } = call.context;
    const isShown = outcome.ok && isOwnCall !== true && !isByPerson(call.caller);
    if (isShown && showsOthers(call.tool) && !isAbout(call.input, account)) readTexts.add(outcome.value);
    return outcome;
  },
};

/** Other answers show own or known texts. */
function showsOthers({ category, needs, effects }: Pick<Tool, "category" | "needs" | "effects">): boolean {
  return (
    effects.every((effect) => !EFFECTS[effect].mutates) &&
    category !== "analytics" &&
    (needs.includes("x") || category === "discovery")
  );
}

function isAbout({ user_id }: JsonObject, account: Account | undefined): boolean {
  return user_id === "me" || (account !== undefined && user_id === account.account);
}

/** Nothing of that was sent. */
function waits(answer: unknown): boolean {
  const { policy_decision, results } = objectIn(answer);
  return policy_decision === ROUTED || (Array.isArray(results) && results.some(waits));
}

/** In the answer, or each of its results. */
function queuedItems(answer: unknown): readonly number[] {
  const { policy_decision, approval_queue_id: id, results } = objectIn(answer);
  return [
    ...(policy_decision === ROUTED && typeof id === "number" ? [id] : []),
    ...(Array.isArray(results) ? results.flatMap(queuedItems) : []),
  ];
}

/** As agents see them. */
export async function decisionsAbout(
  { store, account }: Session,
  ids: readonly number[],
): Promise<readonly ReportedDecision[]> {
  const rows = await store.db
    .selectFrom("approvals")
    .select(["id", "tool", "status", "note", "decided_by"])
    .select(["args_json", "schedule_json", "result_json", "error_json"])
    .where("account", "=", account)
    .where("id", "in", ids)
    .where("status", "in", ["executed", "failed", "rejected", "expired"])
    .orderBy("id")
    .limit(MAX_REPORTED)
    .execute();
  const edits = await editsOf(
    { store, account },
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const { id, tool } = row;
    const edited = edits.get(id);
    return {
      id,
      view: {
        approval_queue_id: id,
        tool,
        ...decisionView({
          ...row,
          // Written as JSON of these shapes.
          args: JSON.parse(row.args_json) as JsonObject,
          schedule: row.schedule_json === null ? undefined : (JSON.parse(row.schedule_json) as Schedule),
          result: row.result_json === null ? undefined : (JSON.parse(row.result_json) as Json),
          error: row.error_json === null ? undefined : (JSON.parse(row.error_json) as Failure),
          note: row.note ?? undefined,
          decidedBy: row.decided_by ?? undefined,
        }),
        ...(edited !== undefined && { edited_to: edited }),
      },
    };
  });
}

/** Null if it was no text. */
export async function editsOf(
  { store, account }: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom("approval_edits")
    .select(["approval_id", "new_args_json"])
    .where("account", "=", account)
    .where("approval_id", "in", ids)
    .orderBy("id")
    .execute();
  return new Map(
    rows.map(({ approval_id, new_args_json }) => {
      const { text } = Object(JSON.parse(new_args_json)) as { readonly text?: unknown };
      return [approval_id, typeof text === "string" ? cleanText(text) : null];
    }),
  );
}

type Required = Pick<CallContext, "account" | "agent">;
type Tool = Call<ToolFacts, CallPlan>["tool"];

/** For calls that ask X or a model without changing X. Changes are counted with receipts. */
export const readLimits: Guard<
  ToolFacts,
  CallPlan,
  Annotations,
  { readonly now: () => number },
  Required,
  object,
  ErrorCode
> = {
  name: "read limits",
  codes: (tool) => (isCounted(tool) ? ["policy_denied_rate_limited"] : []),
  async run({ tool, context: { account, agent } }, next, { now }) {
    if (account === undefined || !isCounted(tool)) return next();
    const needed = limitsOfAgent(agent, readBy(tool));
    if (needed.length === 0) return next();
    const taken = await transact(account.store, (db) => takePlaces(db, account.account, needed, now()));
    return taken.ok ? next() : limitReached(taken.failure);
  },
};

/** Other tools only use the database. */
export function isCounted({ needs }: Pick<Tool, "needs">): boolean {
  return needs.includes("x") || needs.includes("llm");
}

function readBy({ name, facts }: Tool): PolicyAction {
  const categories: readonly (PolicyCategory | undefined)[] = [
    facts.policyCategory,
    isRaw(facts) ? "universal_request" : undefined,
  ];
  return {
    tools: [name],
    categories: categories.filter((category) => category !== undefined),
    ...{ includes: [], posts: 0, texts: [] },
    ...{ isByPerson: false, isReply: false, isSecondReply: false, mentions: false },
  };
}
