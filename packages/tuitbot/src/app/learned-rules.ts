import type { Failure } from "@toolpact/contract";
import { digest } from "@toolpact/contract/internal";
import {
  allowSimilar,
  covers,
  fenceWords,
  isWithin,
  type LearnedRule,
  MAX_RULE_DAYS,
  type PastDecision,
  type ProposedRule,
  proposalSentence,
  proposeRules,
  rehearseRule,
  ruleDates,
  type SimilarFor,
} from "@toolpact/contract/internal/guards";
import { microsOf, usdOf } from "@toolpact/contract/internal/money";
import { type Outcome, ok } from "@toolpact/outcome";
import type { QueuedMutation } from "../approval/item.ts";
import {
  acceptRule,
  endRule,
  learnedRuleIn,
  learnedRules,
  limitsOf,
  pastDecisions,
  ruleIdOf,
  type StoredRule,
} from "../approval/learned-rules.ts";
import { needsPasskey, notSigned } from "../approval/needs-passkey.ts";
import { findItem } from "../approval/queue.ts";
import { errors } from "../errors.ts";
import { limitUse } from "../guards/policy/limits.ts";
import type { Session } from "../storage/store.ts";
import { examplesOf, isoOf, type RuleExample } from "./rule-examples.ts";
import { ruleSentence, wordsOf } from "./rule-words.ts";
import type { Services } from "./services.ts";

type RulesSession = Pick<Services, "db" | "workflow" | "approvals">;

/** Its id is a digest of what the reader sees, so a change gives another id. */
interface Proposal extends ProposedRule {
  readonly id: string;
}

/** Also the rules that stored decisions propose, with evidence. */
export async function rulesReport({ db, workflow, approvals }: RulesSession) {
  const now = workflow.now();
  const rules = await learnedRules({ ...db, mayStillDecide: approvals.mayStillDecide }, now);
  const history = await pastDecisions(db);
  const proposals = proposalsFrom(history, rules, now);
  const shown = [
    ...proposals.flatMap(({ evidence, rehearsal }) => [...evidence, ...rehearsal.decided]),
    ...rules.flatMap(({ evidence }) => evidence),
  ];
  const examples = await examplesOf(db, shown);
  const listed = (ids: readonly number[]) => ids.flatMap((id) => examples.get(id) ?? []);
  return {
    rules: await Promise.all(rules.map((rule) => ruleJson(db, rule, history, listed, now))),
    proposals: proposals.map((proposal) => ({
      ...partsOf(proposal),
      id: proposal.id,
      says: proposalSentence(proposal, wordsOf(proposal)),
      evidence: listed(proposal.evidence),
      rehearsal: rehearsalJson(proposal.rehearsal, listed),
    })),
  };
}

export type RulesReport = Awaited<ReturnType<typeof rulesReport>>;

function proposalsFrom(
  history: readonly PastDecision[],
  rules: readonly StoredRule[],
  now: number,
): readonly Proposal[] {
  const ended = rules.filter(({ endedAt, replacedBy }) => endedAt !== undefined && replacedBy === undefined);
  // After a person ends a rule, it needs new decisions.
  const evidence = history.map((past): PastDecision => {
    const isOld = ended.some(
      ({ conditions, endedAt = 0 }) => past.at <= endedAt && covers(conditions, past.facts),
    );
    return isOld && past.verdict === "approved" ? { ...past, verdict: "undecided" } : past;
  });
  const inForce = rules.filter(({ endedAt, expiresAt }) => endedAt === undefined && expiresAt > now);
  return proposeRules(evidence, now).flatMap((rule) => {
    const facts = history.filter(({ id }) => rule.evidence.includes(id)).map((past) => past.facts);
    const isKnown = inForce.some(
      ({ does, conditions }) => does === rule.does && facts.every((one) => covers(conditions, one)),
    );
    const { key: _, ...seen } = rule;
    return isKnown ? [] : [{ ...rule, id: digest(seen).slice(0, 12) }];
  });
}

export interface Acceptance {
  readonly id: string;
  readonly days?: number | undefined;
  readonly perDay?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** Days in which the rule only rehearses. */
  readonly rehearsalDays?: number | undefined;
}

/** As it was shown. `passkey` has signed it, if the account has any. */
export async function acceptProposal(
  { db, workflow, approvals }: RulesSession,
  { id, days, perDay, budgetUsd, rehearsalDays }: Acceptance,
  { by, passkey }: { readonly by: string; readonly passkey?: string | undefined },
): Promise<Outcome<StoredRule, Failure>> {
  if (passkey === undefined && (await needsPasskey(db.store.db, db.account))) return notSigned();
  const now = workflow.now();
  const rules = await learnedRules({ ...db, mayStillDecide: approvals.mayStillDecide }, now);
  const proposals = proposalsFrom(await pastDecisions(db), rules, now);
  const proposed = proposals.find((one) => one.id === id);
  if (proposed === undefined)
    return errors.fail(
      "not_found",
      "This proposal has changed since it was shown, or there is none. No rule was added.",
      {
        suggestedFix: "Look at the proposals again: tuitbot rules.",
        fixBy: "human",
      },
    );
  const { does, conditions, evidence } = proposed;
  const rule = {
    does,
    conditions,
    perDay: perDay ?? proposed.perDay,
    budgetMicros: budgetUsd === undefined ? proposed.budgetMicros : microsOf(budgetUsd),
    ...ruleDates(now, days, rehearsalDays),
  };
  const signed = passkey === undefined ? by : `${by}, with a passkey`;
  return ok(
    await acceptRule(db, approvals.key, rule, { evidence, by: signed, replaces: narrower(rules, rule) }),
  );
}

export interface RuleOrigin {
  readonly id: number;
  readonly accepted_at: string;
  readonly accepted_by: string;
  readonly evidence: readonly number[];
}

/** By the names in the audit log. */
export async function ruleOrigins(
  { store, account }: Session,
  ruleIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, RuleOrigin>> {
  const ids = [...new Set(ruleIds.flatMap((name) => learnedRuleIn(name) ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom("learned_rules")
    .select(["id", "accepted_at", "accepted_by", "evidence_json"])
    .where("account", "=", account)
    .where("id", "in", ids)
    .execute();
  return new Map(
    rows.map(({ id, accepted_at, accepted_by, evidence_json }) => [
      ruleIdOf({ id }),
      // Written as JSON of this shape.
      { id, accepted_at: isoOf(accepted_at), accepted_by, evidence: JSON.parse(evidence_json) as number[] },
    ]),
  );
}

/** Narrower rules end, because their limits must not add up with the new rule's. */
function narrower(rules: readonly StoredRule[], { does, conditions }: LearnedRule): readonly number[] {
  return rules
    .filter(
      (rule) => rule.endedAt === undefined && rule.does === does && isWithin(rule.conditions, conditions),
    )
    .map(({ id }) => id);
}

export const ACCEPTED_BOUNDS = {
  days: MAX_RULE_DAYS,
  perDay: 100,
  budgetUsd: 1_000,
  rehearsalDays: 14,
} as const;

export async function turnOffRule(
  { db, workflow }: Pick<Services, "db" | "workflow">,
  id: number,
  by: string,
): Promise<Outcome<{ readonly id: number }, Failure>> {
  return (await endRule(db.store.db, db.account, id, { by, now: workflow.now() }))
    ? ok({ id })
    : errors.fail("not_found", `There is no rule ${id} in force.`, {
        suggestedFix: "See tuitbot rules.",
        fixBy: "human",
      });
}

/** Or why there is none. */
export async function similarRule(
  db: Session,
  id: number,
  period: SimilarFor,
  now: number,
): Promise<Outcome<LearnedRule, Failure>> {
  const item = await findItem(db.store.db, db.account, id);
  if (!item.ok) return item;
  const { facts } = item.value;
  const similar =
    facts === undefined ? { fence: "unknown_agent" as const } : allowSimilar(facts, period, now);
  if ("fence" in similar) return noSimilar(fenceWords(similar.fence));
  const { counterexamples } = rehearseRule(similar.rule, await pastDecisions(db), now);
  return counterexamples.length === 0
    ? ok(similar.rule)
    : noSimilar(`Calls like it were rejected or edited: item ${counterexamples.slice(-5).join(", ")}.`);
}

/** As a sentence, if the item has one. */
export function similarSentence({ facts, createdAt }: QueuedMutation): string | null {
  const similar = facts && allowSimilar(facts, "day", createdAt);
  return similar !== undefined && "rule" in similar ? ruleSentence(similar.rule) : null;
}

function noSimilar(why: string): Outcome<never, Failure> {
  return errors.fail(
    "validation_error",
    `A person decides about each call like this. ${why} Nothing was sent.`,
    {
      suggestedFix: "Approve this one item.",
      fixBy: "human",
    },
  );
}

async function ruleJson(
  { store, account }: Session,
  rule: StoredRule,
  history: readonly PastDecision[],
  listed: (ids: readonly number[]) => readonly RuleExample[],
  now: number,
) {
  const { id, evidence, acceptedAt, acceptedBy, startsAt, expiresAt, reviewAt } = rule;
  const [today, spent] = await limitUse(store.db, account, limitsOf(rule, { micros: 0 }, now), now);
  const since = history.filter(({ at }) => at >= acceptedAt);
  const state = stateOf(rule, now);
  return {
    ...partsOf(rule),
    id,
    state,
    says: ruleSentence(rule),
    used_today: today?.used ?? 0,
    spent_usd: usdOf(spent?.used ?? 0),
    accepted_at: isoOf(acceptedAt),
    accepted_by: acceptedBy,
    starts_at: isoOf(startsAt),
    expires_at: isoOf(expiresAt),
    review_at: isoOf(reviewAt),
    is_review_due: state === "active" && now >= reviewAt,
    ended_at: rule.endedAt === undefined ? null : isoOf(rule.endedAt),
    ended_by: rule.endedBy ?? null,
    suspended_because: rule.suspendedBecause ?? null,
    evidence: listed(evidence),
    /** During rehearsal, the calls it would have decided. */
    would_have_decided: state === "rehearsed" ? rehearseRule(rule, since, now).decided.length : null,
  };
}

type RuleState = "rehearsed" | "active" | "expired" | "suspended" | "replaced" | "off";

function stateOf(rule: StoredRule, now: number): RuleState {
  const { endedAt, suspendedBecause, replacedBy, startsAt, expiresAt } = rule;
  if (replacedBy !== undefined) return "replaced";
  if (endedAt !== undefined) return suspendedBecause === undefined ? "off" : "suspended";
  if (now >= expiresAt) return "expired";
  return now < startsAt ? "rehearsed" : "active";
}

/** A reader turns these into words. */
function partsOf({
  does,
  conditions,
  perDay,
  budgetMicros,
}: Pick<LearnedRule, "does" | "conditions" | "perDay" | "budgetMicros">) {
  const { tool, caller, manner, target, length, micros, amount, argumentKinds, fences } = conditions;
  return {
    does,
    agent: caller.split(" ")[0] ?? caller,
    tool,
    manner,
    target,
    length: { ...length },
    max_usd: usdOf(micros.to),
    max_amount: amount.to,
    arguments: [...argumentKinds],
    fences: [...fences],
    per_day: does === "allow" ? perDay : null,
    budget_usd: does === "allow" ? usdOf(budgetMicros) : null,
  };
}

function rehearsalJson(
  { days, decided, micros, counterexamples }: ProposedRule["rehearsal"],
  listed: (ids: readonly number[]) => readonly RuleExample[],
) {
  return { days, usd: usdOf(micros), decided: listed(decided), counterexamples: listed(counterexamples) };
}
