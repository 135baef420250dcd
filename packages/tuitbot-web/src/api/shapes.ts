import type { Answer, PendingItem } from "tuitbot/src/web/api.ts";

/** The answers of commands, and the parts of tools' answers that the dashboard shows. */

export type Draft = Answer<"drafts">["drafts"][number];
export type DraftOptions = Draft["options"];
export type DraftComment = Answer<"drafts">["comments"][number];
export type Performance = Answer<"performance">;
export type PublishedPost = Performance["posts"][number];
export type Rehearsal = Answer<"rehearse">;
export type RunnerState = Answer<"runner">;
export type Spend = Answer<"spend">;
export type Undoable = Answer<"undo">["undoable"][number];
export type LearnedRule = Answer<"rules">["rules"][number];
export type RuleProposal = Answer<"rules">["proposals"][number];
type Stats = Answer<"stats">;

/** The time of an item, and everything that is published with it. One approval covers all posts of a series. */
export type ItemSchedule = NonNullable<PendingItem["schedule"]>;

/** A post, as X showed it. Unknown fields are missing. */
export type ShownPost = NonNullable<NonNullable<PendingItem["context"]>["post"]> & {
  /** The display name. */
  readonly author_name?: unknown;
};

export type FollowerDay = Stats["followers"]["trend"][number];

/** A change in the log of the page. */
export type LoggedCall = Answer<"log">["entries"][number];

/** The full record of one attempted change. */
export interface MutationDetail extends Omit<LoggedCall, "receipt_state" | "learned_rule" | "draft_texts"> {
  readonly error_code: string | null;
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

type HourOfWeek = Stats["best_times"][number];

export type ContentKind = Stats["kinds"][number];

export interface AnalyticsSummary {
  readonly followers: {
    readonly current: number | null;
    readonly change_7d: number | null;
    readonly change_30d: number | null;
  };
  readonly engagement: {
    readonly avg_reply_score: number | null;
    readonly avg_tweet_score: number | null;
    readonly total_replies: number;
    readonly total_tweets: number;
  };
  readonly top_topics: Stats["topics"];
  readonly best_times: readonly HourOfWeek[];
  readonly heatmap: readonly HourOfWeek[];
  readonly content_breakdown: readonly ContentKind[];
}

/** Recurring posts that were scheduled; queued where a person has to approve them. */
export interface RecurringPosts {
  readonly status?: string;
  readonly series_id: number;
  readonly count: number;
  readonly next: readonly { readonly scheduled_for: string }[];
}

/** The predicted outcome of a post or thread. */
export type DryRun = Answer<"test_call">;

/** A found post, with its score. */
export interface FoundPost extends ShownPost {
  readonly score_total: number;
  readonly score_breakdown?: Readonly<Record<string, number>>;
  readonly matched_keyword: string | null;
  readonly discovered_at: string;
  readonly replied_to: boolean;
  readonly can_reply: boolean;
}

export interface PolicyRule {
  readonly id: string;
  readonly kind: string;
  readonly tools: readonly string[];
  readonly categories: readonly string[];
  readonly action: string;
  readonly reason?: string;
}

export interface RateLimit {
  readonly action_type: string;
  readonly request_count: number;
  readonly max_requests: number;
  readonly period_seconds: number;
  readonly remaining: number;
}

export interface PolicyStatus {
  readonly mode: string;
  readonly approval_mode: boolean;
  readonly enforce_for_mutations: boolean;
  readonly dry_run_mutations: boolean;
  readonly blocked_tools: readonly string[];
  readonly rules: readonly PolicyRule[];
  readonly rate_limits: readonly RateLimit[];
}

export type ShownConfig = Answer<"config">;

export interface Health {
  readonly status: string;
  readonly profile: string;
  readonly version: string;
  readonly authenticated_user: { readonly username: string; readonly name: string } | null;
  readonly x: Part;
  readonly clock: Part;
  readonly database: Part & { readonly engine?: string };
  readonly llm: Part;
  readonly runner: RunnerState["runner"];
}

interface Part {
  readonly status: string;
  readonly message?: string;
}
