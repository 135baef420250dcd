import { isWithin, type ScheduleWindow } from "../../config/schedule-window.ts";
import type { Engagement, PolicyCategory } from "../../x/operation-table.ts";
import type { Policy } from "./policy.ts";

export type PolicyDecision =
  | { readonly kind: "allow"; readonly ruleId: string | undefined }
  | { readonly kind: "deny"; readonly ruleId: string; readonly reason: string }
  | {
      readonly kind: "require_approval";
      readonly ruleId: string;
      readonly reason: string;
      /** Default one. */
      readonly peopleNeeded?: number;
    }
  | { readonly kind: "dry_run"; readonly ruleId: string };

export interface Moment {
  readonly now: number;
  /** Exactly this call. */
  readonly isApproved: boolean;
}

/**
 * The first match of hard rules, safety phrases, operator's rules and floors decides. Allowed calls must also
 * pass the floors. An approval replaces asking, but not denial.
 */
export function decide(policy: Policy, action: PolicyAction, { now, isApproved }: Moment): PolicyDecision {
  const first = (rules: readonly PolicyRule[]): PolicyDecision | undefined => {
    for (const rule of rules) {
      if (!matches(rule, action, policy.mode, now)) continue;
      if (isApproved && rule.action.type === "require_approval") continue;
      return decisionOf(rule);
    }
    return undefined;
  };
  const decided = first(policy.hard) ?? bannedPhrase(policy, action) ?? first(policy.rules);
  const decision =
    decided !== undefined && decided.kind !== "allow"
      ? decided
      : (first(policy.floors) ?? decided ?? { kind: "allow" as const, ruleId: undefined });
  if (decision.kind !== "require_approval") return decision;
  const peopleNeeded = peopleFor(policy, action, now);
  const because = { ...decision, ...reasonsFor(policy, action, now) };
  return peopleNeeded === 1 ? because : { ...because, peopleNeeded };
}

/** By a rule that no setting turns off. */
export function needsPerson({ hard, floors, mode }: Policy, action: PolicyAction, now: number): boolean {
  return [...hard, ...floors].some(
    (rule) =>
      rule.id.startsWith("hard:") &&
      rule.action.type === "require_approval" &&
      matches(rule, action, mode, now),
  );
}

/** Most serious first; the first names the rule. */
function reasonsFor(policy: Policy, action: PolicyAction, now: number) {
  const own = policy.rules.find((one) => matches(one, action, policy.mode, now));
  const rules = [...policy.hard, ...(own === undefined ? [] : [own]), ...policy.floors].flatMap((rule) =>
    rule.action.type === "require_approval" && matches(rule, action, policy.mode, now)
      ? [{ id: rule.id, reason: rule.action.reason }]
      : [],
  );
  const ranked = rules.toSorted((one, other) => rankOf(one.id) - rankOf(other.id));
  const particular = ranked.filter(({ id }) => !isGeneral(id));
  const shown = particular.length > 0 ? particular : ranked.slice(0, 1);
  const [first] = shown;
  if (first === undefined) return {};
  return { ruleId: first.id, reason: [...new Set(shown.map(({ reason }) => reason))].join(" ") };
}

/** Injection, X's rules, the product's, then the operator's. */
function rankOf(id: string): number {
  if (id === "hard:injection") return 0;
  if (id.startsWith("hard:x_")) return 1;
  return id.startsWith("hard:") ? 2 : 3;
}

/** It asks about everything, so it says nothing about this call. */
function isGeneral(id: string): boolean {
  return id === "hard:composer_approval" || id === "approval_mode";
}

/** By the operator's rules, whichever asks first. */
function peopleFor(policy: Policy, action: PolicyAction, now: number): number {
  const rule = policy.rules.find((one) => matches(one, action, policy.mode, now))?.action;
  return rule?.type === "require_approval" ? (rule.approvals_needed ?? 1) : 1;
}

function decisionOf({ id, action }: PolicyRule): PolicyDecision {
  switch (action.type) {
    case "allow":
      return { kind: "allow", ruleId: id };
    case "dry_run":
      return { kind: "dry_run", ruleId: id };
    case "deny":
    case "require_approval":
      return { kind: action.type, ruleId: id, reason: action.reason };
  }
}

function bannedPhrase({ safety }: Policy, { isReply, texts }: PolicyAction): PolicyDecision | undefined {
  if (!isReply) return undefined;
  const said = texts.map((text) => text.toLowerCase());
  const phrase = safety.banned_phrases.find((banned) =>
    said.some((text) => text.includes(banned.toLowerCase())),
  );
  if (phrase === undefined) return undefined;
  return {
    kind: "deny",
    ruleId: "limits:banned_phrase",
    reason: `No reply may say ${JSON.stringify(phrase)} (limits.banned_phrases).`,
  };
}

function matches(rule: PolicyRule, action: PolicyAction, mode: Mode, now: number): boolean {
  const { tools = [], categories = [], modes = [], schedule_window, test } = rule.conditions;
  const concerned = rule.action.type === "allow" ? action.tools : [...action.tools, ...action.includes];
  return (
    (tools.length === 0 || concerned.some((tool) => tools.includes(tool))) &&
    (categories.length === 0 || action.categories.some((category) => categories.includes(category))) &&
    (modes.length === 0 || modes.includes(mode)) &&
    (schedule_window === undefined || isWithin(schedule_window, now)) &&
    (test === undefined || test(action))
  );
}

export type Mode = "autopilot" | "composer";

/** For rules. */
export interface PolicyAction {
  /** And the typed tool that does the same as a raw request. */
  readonly tools: readonly string[];
  /** A thread includes posts. Their restrictions apply to it, their permissions do not. */
  readonly includes: readonly string[];
  readonly categories: readonly PolicyCategory[];
  readonly engagement?: Engagement | undefined;
  /** Rather than an agent or loop. */
  readonly isByPerson: boolean;
  readonly posts: number;
  readonly texts: readonly string[];
  readonly isReply: boolean;
  /** Second for this account. */
  readonly isSecondReply: boolean;
  /** It may follow a stranger's instructions. */
  readonly isSuspect?: boolean | undefined;
  /** Outside X's operation table. */
  readonly isUnlisted?: boolean | undefined;
  /** Only the account sees it, and it can be undone. */
  readonly isPrivate?: boolean | undefined;
  /** Anyone but the answered author. */
  readonly mentions: boolean;
}

/** Rules and limits on posts name this tool. */
export const POST_TOOL = "x_post_tweet";

export type RuleAction =
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly reason: string }
  | {
      readonly type: "require_approval";
      readonly reason: string;
      /** Default one. */
      readonly approvals_needed?: number | undefined;
    }
  | { readonly type: "dry_run" };

export interface PolicyRule {
  readonly id: string;
  readonly conditions: Conditions;
  readonly action: RuleAction;
}

/** From a template or the operator. */
export interface RankedRule extends PolicyRule {
  /** Lowest first. */
  readonly priority: number;
}

/** All must hold; of a list, one entry. */
export interface Conditions {
  readonly tools?: readonly string[];
  readonly categories?: readonly PolicyCategory[];
  readonly modes?: readonly Mode[];
  readonly schedule_window?: ScheduleWindow | undefined;
  /** For the product's rules. */
  readonly test?: (action: PolicyAction) => boolean;
}

/** First, and not configurable. */
export const hardRules: readonly PolicyRule[] = [
  {
    id: "hard:delete_approval",
    conditions: { categories: ["delete"] },
    action: { type: "require_approval", reason: "What is deleted cannot be brought back." },
  },
  {
    id: "hard:x_one_reply",
    conditions: { test: ({ isSecondReply }) => isSecondReply },
    action: { type: "deny", reason: "X allows an automated account one reply to a post." },
  },
  {
    id: "hard:ads_approval",
    conditions: { categories: ["ads"] },
    action: { type: "require_approval", reason: "Advertising spends money." },
  },
  {
    id: "hard:unlisted_approval",
    conditions: { test: ({ isUnlisted }) => isUnlisted === true },
    action: {
      type: "require_approval",
      reason: "X does not list this request: it is not known what it does.",
    },
  },
  {
    id: "hard:composer_approval",
    conditions: { modes: ["composer"] },
    action: { type: "require_approval", reason: "In composer mode a person approves everything." },
  },
];

export interface Declared {
  /** Nothing is sent without approval. */
  readonly approvalMode: boolean;
  /** To replies written by a model. */
  readonly aiRepliesAgreed: boolean;
}

/** They need a person whatever else allows the call: injection, X's automation rules, approval mode. */
export function floors({ approvalMode, aiRepliesAgreed }: Declared): readonly PolicyRule[] {
  return [
    floor(
      "hard:injection",
      ({ isSuspect, isByPerson }) => !isByPerson && isSuspect === true,
      "A person decides about texts that may do what a stranger's text asks for.",
    ),
    floor(
      "hard:x_user_initiated",
      ({ engagement, isByPerson }) => !isByPerson && (engagement === "like" || engagement === "follow"),
      "X allows likes and follows only when a person asks for them.",
    ),
    floor(
      "hard:x_ai_reply",
      ({ isReply, isByPerson }) => !isByPerson && isReply && !aiRepliesAgreed,
      "X allows AI-written replies only with its consent.",
    ),
    floor(
      "hard:x_unsolicited_mention",
      ({ mentions, isByPerson }) => !isByPerson && mentions,
      "X does not allow automated posts that call people who did not ask for it.",
    ),
    floor(
      "hard:x_direct_message",
      ({ categories, isByPerson }) => !isByPerson && categories.includes("direct_message"),
      "X does not allow automated messages to people who did not ask for them.",
    ),
    floor(
      "approval_mode",
      // An upload publishes nothing.
      ({ categories, isPrivate }) => approvalMode && !categories.includes("media") && isPrivate !== true,
      "In approval mode a person approves everything that others can see.",
    ),
  ];
}

function floor(id: string, test: NonNullable<PolicyRule["conditions"]["test"]>, reason: string): PolicyRule {
  return {
    id,
    conditions: { test },
    action: { type: "require_approval", reason },
  };
}
