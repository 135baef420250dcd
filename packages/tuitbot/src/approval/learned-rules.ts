import { canonicalJson, DAY_MS } from "@toolpact/contract/internal";
import {
  applyRule,
  type CallFacts,
  isAbout,
  isAgent,
  keyedDigest,
  type LearnedRule,
  type PastDecision,
  sameDigest,
} from "@toolpact/contract/internal/guards";
import { type Kysely, type Selectable, sql } from "kysely";
import type { LearnedDecision } from "../guards/approval/ask-for-approval.ts";
import { type LimitNeed, limitUse } from "../guards/policy/limits.ts";
import type { Database } from "../storage/database.ts";
import { dayOf } from "../storage/days.ts";
import type { Session } from "../storage/store.ts";
import type { LearnedRuleRow } from "../storage/tables/approval-tables.ts";
import type { MayStillDecide } from "./release.ts";

export interface StoredRule extends LearnedRule {
  readonly id: number;
  readonly evidence: readonly number[];
  readonly acceptedBy: string;
  /** Undefined while in force, or just expired. */
  readonly endedAt: number | undefined;
  readonly endedBy: string | undefined;
  /** A wider rule. */
  readonly replacedBy: number | undefined;
  /** As a sentence. */
  readonly suspendedBecause: string | undefined;
}

/** In the audit log; undefined for other rules. */
export function ruleIdOf({ id }: Pick<StoredRule, "id">): string {
  return `${PREFIX}${id}`;
}

/** In the audit log; undefined for other rules. */
export function learnedRuleIn(ruleId: string | null): number | undefined {
  const id = ruleId?.startsWith(PREFIX) ? Number(ruleId.slice(PREFIX.length)) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

const PREFIX = "learned:";
const REPLACED = "replaced by rule ";

/** Signed, so database access is not enough to add one. */
export async function acceptRule(
  { store, account }: Session,
  key: Uint8Array,
  rule: LearnedRule,
  {
    evidence,
    by,
    replaces = [],
  }: { readonly evidence: readonly number[]; readonly by: string; readonly replaces?: readonly number[] },
): Promise<StoredRule> {
  const row = await store.transaction(async (db) => {
    const added = await db
      .insertInto("learned_rules")
      .values({
        account,
        rule_json: canonicalJson(rule),
        evidence_json: JSON.stringify(evidence),
        accepted_at: rule.acceptedAt,
        accepted_by: by,
        seal: null,
        ended_at: null,
        ended_by: null,
        suspended_because: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const ending = { by: `${REPLACED}${added.id}`, now: rule.acceptedAt };
    for (const id of replaces) await endRule(db, account, id, ending);
    return db
      .updateTable("learned_rules")
      .set({ seal: sealOf(key, added) })
      .where("account", "=", account)
      .where("id", "=", added.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return ruleFrom(row);
}

/** False if none is in force. */
export async function endRule(
  db: Kysely<Database>,
  account: string,
  id: number,
  { by, because, now }: { readonly by: string; readonly because?: string; readonly now: number },
): Promise<boolean> {
  const ended = await db
    .updateTable("learned_rules")
    .set({ seal: null, ended_at: now, ended_by: by, suspended_because: because ?? null })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returning("id")
    .execute();
  return ended.length > 0;
}

/** Rules hold while the people who accepted them may decide. */
export interface RuleSession extends Session {
  readonly mayStillDecide: MayStillDecide;
}

/** Newest first. Suspends those that no longer hold. */
export async function learnedRules(session: RuleSession, now: number): Promise<readonly StoredRule[]> {
  await suspend(session, await storedRules(session), now);
  return storedRules(session);
}

async function storedRules({ store, account }: Session): Promise<readonly StoredRule[]> {
  const rows = await store.db
    .selectFrom("learned_rules")
    .selectAll()
    .where("account", "=", account)
    .orderBy("id", "desc")
    .limit(MAX_RULES)
    .execute();
  return rows.map(ruleFrom);
}

const MAX_RULES = 1_000;

/** A rule that denies comes first. */
export async function decisionByRule(
  session: RuleSession,
  key: Uint8Array,
  facts: CallFacts,
  now: number,
): Promise<LearnedDecision | undefined> {
  const { store, account } = session;
  if (facts.caller === "") return undefined;
  const rows = await store.db
    .selectFrom("learned_rules")
    .selectAll()
    .where("account", "=", account)
    .where("ended_at", "is", null)
    .orderBy("id")
    .execute();
  const about = rows
    .filter((row) => row.seal !== null && sameDigest(row.seal, sealOf(key, row)))
    .map(ruleFrom)
    .filter((rule) => isAbout(rule, facts));
  if (about.length === 0) return undefined;
  const suspended = await suspend(session, about, now);
  const inForce = about.filter(({ id }) => !suspended.includes(id));
  for (const rule of inForce.toSorted(
    (one, other) => Number(other.does === "deny") - Number(one.does === "deny"),
  )) {
    const limits = limitsOf(rule, facts, now);
    const [today, spent] = await limitUse(store.db, account, limits, now);
    const use = { today: today?.used ?? 0, spentMicros: spent?.used ?? 0 };
    if (!applyRule(rule, facts, use, now).applies) continue;
    const ruleId = ruleIdOf(rule);
    return rule.does === "allow"
      ? { does: "allow", ruleId, limits: limits.filter(({ micros }) => micros !== 0) }
      : {
          does: "deny",
          ruleId,
          reason: `The approver has rejected calls like it before, and accepted a rule against them (rule ${rule.id}).`,
        };
  }
  return undefined;
}

/** Calls per UTC day and a budget, taken with each call's receipt. */
export function limitsOf(
  { id, perDay, budgetMicros, acceptedAt, expiresAt }: StoredRule,
  { micros }: Pick<CallFacts, "micros">,
  now: number,
): readonly [day: LimitNeed, budget: LimitNeed] {
  const setting = `the limits of rule ${id}`;
  return [
    { key: `${PREFIX}${id}:${dayOf(now)}`, max: perDay, periodMs: DAY_MS, setting },
    {
      key: `${PREFIX}${id}:budget`,
      max: budgetMicros,
      periodMs: expiresAt - acceptedAt + DAY_MS,
      setting,
      micros,
    },
  ];
}

/** After a later edit or rejection of such a call, or if the person may no longer decide. Returns the ids. */
async function suspend(
  session: RuleSession,
  rules: readonly StoredRule[],
  now: number,
): Promise<readonly number[]> {
  const allowing = rules.filter(({ does, endedAt }) => does === "allow" && endedAt === undefined);
  if (allowing.length === 0) return [];
  const since = Math.min(...allowing.map(({ acceptedAt }) => acceptedAt));
  const past = await pastDecisions(session, since);
  const suspended: number[] = [];
  for (const rule of allowing) {
    const against = past.find(
      ({ at, verdict, facts }) =>
        at >= rule.acceptedAt && (verdict === "rejected" || verdict === "edited") && isAbout(rule, facts),
    );
    const { db } = session.store;
    const because =
      against !== undefined
        ? `Item ${against.id}, which it covers, was ${against.verdict}.`
        : (await session.mayStillDecide(db, rule.acceptedBy))
          ? undefined
          : `It was accepted by a ${rule.acceptedBy}, who may no longer decide.`;
    if (because === undefined) continue;
    await endRule(db, session.account, rule.id, { by: "tuitbot", because, now });
    suspended.push(rule.id);
  }
  return suspended;
}

/** The newest calls of agents, oldest first, as evidence. */
export async function pastDecisions(
  { store, account }: Session,
  since = 0,
): Promise<readonly PastDecision[]> {
  const rows = await store.db
    .selectFrom("approvals")
    .select([
      "id",
      "created_at",
      "decided_at",
      "decided_by",
      "status",
      "facts_json",
      "error_json",
      "result_json",
    ])
    .select(({ selectFrom }) =>
      selectFrom("approval_edits")
        .select(({ fn }) => fn.max<number | null>("at").as("at"))
        .where("approval_edits.account", "=", account)
        .whereRef("approval_edits.approval_id", "=", "approvals.id")
        .as("edited_at"),
    )
    .where("account", "=", account)
    .where("facts_json", "is not", null)
    .where(({ or, eb }) =>
      or([
        eb("decided_at", ">=", since),
        sql<boolean>`exists (select 1 from approval_edits where approval_edits.account = ${account}
          and approval_edits.approval_id = approvals.id and approval_edits.at >= ${since})`,
        ...(since === 0 ? [eb("status", "=", "pending")] : []),
      ]),
    )
    .orderBy("id", "desc")
    .limit(MAX_DECISIONS)
    .execute();
  return rows.reverse().map(({ facts_json, edited_at, ...row }) => ({
    id: row.id,
    at: Math.max(Number(edited_at ?? 0), row.decided_at ?? row.created_at),
    // Written as JSON of this shape.
    facts: JSON.parse(facts_json ?? "") as CallFacts,
    verdict: verdictOf({ ...row, isEdited: edited_at !== null }),
  }));
}

const MAX_DECISIONS = 5_000;

function verdictOf({
  isEdited,
  status,
  decided_by: by,
  error_json,
  result_json,
}: Pick<Selectable<Database["approvals"]>, "status" | "decided_by" | "error_json" | "result_json"> & {
  readonly isEdited: boolean;
}): PastDecision["verdict"] {
  if (isEdited) return "edited";
  if (by === null || isAgent(by)) return "undecided";
  // One that turned out not to be at X, or moved to a slot, was approved before.
  if (status === "rejected") return error_json === null && result_json === null ? "rejected" : "undecided";
  return APPROVED.has(status) ? "approved" : "undecided";
}

const APPROVED: ReadonlySet<string> = new Set(["approved", "releasing", "executed", "failed"]);

function sealOf(
  key: Uint8Array,
  { id, account, rule_json, evidence_json, accepted_at, accepted_by }: Selectable<LearnedRuleRow>,
): string {
  return keyedDigest(key, ["learned rule", account, id, rule_json, evidence_json, accepted_at, accepted_by]);
}

function ruleFrom(row: Selectable<LearnedRuleRow>): StoredRule {
  return {
    // Written as JSON of these shapes.
    ...(JSON.parse(row.rule_json) as LearnedRule),
    evidence: JSON.parse(row.evidence_json) as number[],
    id: row.id,
    acceptedBy: row.accepted_by,
    endedAt: row.ended_at ?? undefined,
    endedBy: row.ended_by ?? undefined,
    replacedBy: row.ended_by?.startsWith(REPLACED) ? Number(row.ended_by.slice(REPLACED.length)) : undefined,
    suspendedBecause: row.suspended_because ?? undefined,
  };
}
