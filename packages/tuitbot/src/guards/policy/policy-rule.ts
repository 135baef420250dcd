import type { ScheduleWindow } from "../../config/schedule-window.ts";
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
