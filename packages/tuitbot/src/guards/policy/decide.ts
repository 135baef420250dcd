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
      /** How many different people; absent for one. */
      readonly peopleNeeded?: number;
    }
  | { readonly kind: "dry_run"; readonly ruleId: string };

export interface Moment {
  readonly now: number;
  /** A person has approved exactly this. */
  readonly isApproved: boolean;
}

/**
 * Hard rules, then the safety phrases, then the operator's rules in their order, then the floors: the first that
 * matches decides, and an allowed mutation still has to pass the floors. What a person has approved needs no
 * approval any more, but what is denied stays denied.
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

/** True if a rule that no setting turns off asks for a person. */
export function needsPerson({ hard, floors, mode }: Policy, action: PolicyAction, now: number): boolean {
  return [...hard, ...floors].some(
    (rule) =>
      rule.id.startsWith("hard:") &&
      rule.action.type === "require_approval" &&
      matches(rule, action, mode, now),
  );
}

/** Every reason why a person is asked, the most serious first; the first names the rule. */
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

/** Signs of injection, then X's rules, then those of the product, then those of the operator. */
function rankOf(id: string): number {
  if (id === "hard:injection") return 0;
  if (id.startsWith("hard:x_")) return 1;
  return id.startsWith("hard:") ? 2 : 3;
}

/** Asks about everything, so it says nothing about this call. */
function isGeneral(id: string): boolean {
  return id === "hard:composer_approval" || id === "approval_mode";
}

/** How many people the operator's rules ask for, whichever rule asks first: those of the product want one. */
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

/** A mutation as the rules see it. */
export interface PolicyAction {
  /** The tool, and for a raw request the typed tool that does the same. */
  readonly tools: readonly string[];
  /**
   * Tools whose effects this call includes: a thread publishes posts. Restrictions of such a tool apply to this call;
   * permissions do not.
   */
  readonly includes: readonly string[];
  readonly categories: readonly PolicyCategory[];
  readonly engagement?: Engagement | undefined;
  /** A person typed it, rather than an agent or a loop. */
  readonly isByPerson: boolean;
  /** How many posts it would publish. */
  readonly posts: number;
  /** Texts that it would publish. */
  readonly texts: readonly string[];
  /** It answers a post of somebody. */
  readonly isReply: boolean;
  /** The account has answered that post before. */
  readonly isSecondReply: boolean;
  /** A text that may do what a stranger's text asks for. */
  readonly isSuspect?: boolean | undefined;
  /** A raw request that X's operation table does not have. */
  readonly isUnlisted?: boolean | undefined;
  /** Only the account itself sees it, and it can be undone. */
  readonly isPrivate?: boolean | undefined;
  /** It mentions somebody other than the author of the post that it answers. */
  readonly mentions: boolean;
}

/** The tool that publishes one post, which rules and limits on posts name. */
export const POST_TOOL = "x_post_tweet";

export type RuleAction =
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly reason: string }
  | {
      readonly type: "require_approval";
      readonly reason: string;
      /** How many different people; one by default. */
      readonly approvals_needed?: number | undefined;
    }
  | { readonly type: "dry_run" };

export interface PolicyRule {
  readonly id: string;
  readonly conditions: Conditions;
  readonly action: RuleAction;
}

/** A rule of a template or of the operator. */
export interface RankedRule extends PolicyRule {
  /** The lowest decides. */
  readonly priority: number;
}

/** All that are given must hold; of a list one entry is enough. */
export interface Conditions {
  readonly tools?: readonly string[];
  readonly categories?: readonly PolicyCategory[];
  readonly modes?: readonly Mode[];
  readonly schedule_window?: ScheduleWindow | undefined;
  /** For rules of the product itself. */
  readonly test?: (action: PolicyAction) => boolean;
}

/** Rules that no configuration switches off. They come before every other. */
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

/** The operator's declarations about the account. */
export interface Declared {
  /** Send nothing before a person has approved it. */
  readonly approvalMode: boolean;
  /** X has agreed to replies that a model writes. */
  readonly aiRepliesAgreed: boolean;
}

/**
 * Rules that need a person even if every other rule allows the call: signs of injection, X's rules for automation, and
 * approval mode. They can only make a decision stricter.
 */
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
      // An upload publishes nothing; the post that uses it does.
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
