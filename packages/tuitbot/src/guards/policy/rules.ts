import type { ScheduleWindow } from "../../config/schedule-window.ts";
import type { WrittenLimit } from "../../config/written-limit.ts";
import type { Engagement, PolicyCategory } from "../../x/operation-table.ts";

export type Mode = "autopilot" | "composer";

/** A mutation as the rules see it. */
export interface PolicyAction {
  /** The tool, and for a raw request the typed tool that does the same. */
  readonly tools: readonly string[];
  /**
   * Tools whose effect it has among others: a thread publishes posts. What restricts such a tool restricts this call;
   * what allows such a tool does not allow it.
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
  /** A reply that may do what the post it answers asks for. */
  readonly isSuspect?: boolean | undefined;
  /** A raw request that X's operation table does not have. */
  readonly isUnlisted?: boolean | undefined;
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

/** What the operator has declared about the account. */
export interface Declared {
  /** Send nothing before a person has approved it. */
  readonly approvalMode: boolean;
  /** X has agreed to replies that a model writes. */
  readonly aiRepliesAgreed: boolean;
}

/**
 * What every other rule may allow and still needs a person: signs of injection, X's rules for automation, and approval mode. They only
 * ever make a decision stricter.
 */
export function floors({ approvalMode, aiRepliesAgreed }: Declared): readonly PolicyRule[] {
  return [
    floor(
      "hard:injection",
      ({ isSuspect, isByPerson }) => !isByPerson && isSuspect === true,
      "A person decides about replies that may do what a stranger's post asks for.",
    ),
    floor(
      "hard:x_user_initiated",
      ({ engagement, isByPerson }) => !isByPerson && (engagement === "like" || engagement === "follow"),
      "X allows likes and follows only when a person asks for them.",
    ),
    floor(
      "hard:x_ai_reply",
      ({ isReply, isByPerson }) => !isByPerson && isReply && !aiRepliesAgreed,
      "X allows replies that a model writes only with its agreement.",
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
      ({ categories }) => approvalMode && !categories.includes("media"),
      "In approval mode a person approves everything that is sent.",
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

export type TemplateName = "safe_default" | "growth_aggressive" | "agency_mode";

export interface Template {
  readonly rules: readonly RankedRule[];
  readonly limits: readonly WrittenLimit[];
}

const HOUR = 3_600;
const DAY = 86_400;

const deleteApproval = rule("delete", 100, ["delete"], approval("What is deleted cannot be brought back."));
const allowAll = rule("allow", 150, [], { type: "allow" });

export const templates: Readonly<Record<TemplateName, Template>> = {
  safe_default: {
    rules: [
      deleteApproval,
      rule("write", 101, ["write"], approval("A person approves what is posted.")),
      rule("thread", 102, ["thread"], approval("A person approves what is posted.")),
      rule("engage", 103, ["engage"], { type: "allow" }),
    ],
    limits: [limit("global", "", 20, HOUR), limit("category", "engage", 50, DAY)],
  },
  growth_aggressive: {
    rules: [deleteApproval, allowAll],
    limits: [limit("global", "", 50, HOUR), limit("category", "engage", 100, DAY)],
  },
  agency_mode: {
    rules: [deleteApproval, allowAll],
    limits: [
      limit("global", "", 200, DAY),
      limit("tool", "x_post_tweet", 30, DAY),
      limit("tool", "x_like_tweet", 50, DAY),
      limit("tool", "x_follow_user", 20, DAY),
    ],
  },
};

function rule(
  name: string,
  priority: number,
  categories: readonly PolicyCategory[],
  action: RuleAction,
): RankedRule {
  return { id: `template:${name}`, priority, conditions: { categories }, action };
}

function approval(reason: string): RuleAction {
  return { type: "require_approval", reason };
}

function limit(
  dimension: WrittenLimit["dimension"],
  match_value: string,
  max_count: number,
  period_seconds: number,
): WrittenLimit {
  return { key: `template:${match_value || dimension}`, dimension, match_value, max_count, period_seconds };
}
