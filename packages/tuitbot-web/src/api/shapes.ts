import type { Runner, ShownPost, Spending, Stop } from "tuitbot/src/web/api.ts";

/** Answers of the tools and commands that the page uses: the part of each that it shows. */

export interface FollowerDay {
  readonly date: string;
  readonly follower_count: number;
}

/** An attempted change, of `tuitbot log`. */
export interface Mutation {
  readonly correlation_id: string;
  readonly tool_name: string;
  readonly status: string;
  readonly decision: string;
  readonly params: unknown;
  readonly result: unknown;
  readonly error_message: string | null;
  readonly receipt_id: string | null;
  readonly approval_id: number | null;
  readonly elapsed_ms: number | null;
  readonly created_at: string;
}

/** All that is known of one attempted change. */
export interface MutationDetail extends Mutation {
  readonly client: string | null;
  readonly transport: string | null;
  readonly rule_id: string | null;
  readonly error_code: string | null;
  readonly rollback: unknown;
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

/** Something done that can be taken back, of `tuitbot undo --list`. */
export interface Undoable {
  readonly id: string;
  readonly tool: string;
  readonly params: unknown;
  readonly result: unknown;
  readonly at: string;
  readonly client: string | null;
  readonly undo: readonly { readonly tool: string; readonly args: unknown }[];
}

export interface SpendDay {
  readonly date: string;
  readonly calls: number;
  readonly cost: number;
}

/** `tuitbot spend`. */
export interface SpendReport extends Spending {
  readonly summary: {
    readonly cost_today: number;
    readonly cost_7d: number;
    readonly cost_30d: number;
    readonly cost_all_time: number;
    readonly calls_today: number;
    readonly calls_7d: number;
    readonly calls_30d: number;
    readonly calls_all_time: number;
  };
  readonly daily: readonly SpendDay[];
  readonly operations: readonly {
    readonly endpoint: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
}

export interface HourOfWeek {
  readonly weekday: string;
  readonly hour: number;
  readonly posts: number;
  readonly avg_performance: number | null;
}

export interface ContentKind {
  readonly content_type: string;
  readonly count: number;
  readonly measured: number;
  readonly avg_performance: number | null;
  readonly total_impressions: number;
}

export interface TopicFigures {
  readonly topic: string;
  readonly format: string;
  readonly total_posts: number;
  readonly avg_performance: number | null;
}

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
  readonly top_topics: readonly TopicFigures[];
  readonly best_times: readonly HourOfWeek[];
  readonly heatmap: readonly HourOfWeek[];
  readonly content_breakdown: readonly ContentKind[];
}

export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

export interface Draft {
  readonly draft_id: number;
  readonly content_type: "tweet" | "thread";
  readonly texts: readonly string[];
  readonly media: readonly {
    readonly post: number;
    readonly file_path: string;
    readonly alt_text?: string;
  }[];
  readonly topic: string | null;
  readonly status: DraftStatus;
  readonly revision: number;
  readonly scheduled_for: string | null;
  readonly approval_queue_id: number | null;
  readonly approval: "waiting" | "approved" | null;
  readonly tweet_ids: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly by: string;
  readonly what: string;
  readonly texts: readonly string[];
  readonly scheduled_for: string | null;
  readonly status: string;
  readonly note: string | null;
}

/** What would become of a post or thread. */
export interface DryRun {
  readonly policy_decision: "allow" | "deny" | "require_approval" | "dry_run";
  readonly matched_rule_id: string | null;
  readonly reason?: string;
  readonly estimated_usd: number;
  readonly budget?: { readonly code: string; readonly reason: string; readonly message: string };
  readonly earlier_call?: string;
  readonly limits: readonly { readonly key: string; readonly used: number; readonly max: number }[];
}

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

/** The parts of the configuration that the page shows. */
export interface ShownConfig {
  readonly file: string | null;
  readonly config: {
    readonly mode: string;
    readonly schedule: {
      readonly timezone: string;
      readonly active_hours_start: number;
      readonly active_hours_end: number;
      readonly active_days: readonly string[];
      readonly posting_slots: readonly string[];
      readonly preferred_times: readonly string[];
    };
    readonly budget: Readonly<Record<string, unknown>>;
    readonly [section: string]: unknown;
  };
}

export interface Health {
  readonly status: string;
  readonly profile: string;
  readonly version: string;
  readonly authenticated_user: { readonly username: string; readonly name: string } | null;
  readonly x: Part;
  readonly clock: Part;
  readonly database: Part & { readonly engine?: string };
  readonly llm: Part;
  readonly runner: Runner;
}

interface Part {
  readonly status: string;
  readonly message?: string;
}

/** What the loops do now and next. */
export interface RunnerState {
  readonly runner: Runner;
  readonly stop: Stop | null;
  readonly approval_mode: boolean;
  /** Whether now is within the active hours. */
  readonly is_active: boolean;
  readonly loops: readonly {
    readonly name: string;
    readonly does: string;
    readonly last_ran_at: string | null;
    /** Failed runs since the last that did not fail. */
    readonly failures: number;
    /** Null where it has no interval; in the past where it is due. */
    readonly next_at: string | null;
  }[];
}
