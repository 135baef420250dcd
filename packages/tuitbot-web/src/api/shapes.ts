import type { Commands, LogEntry, Runner, ShownPost } from "tuitbot/src/web/api.ts";

export type {
  Commands,
  Draft,
  LogEntry,
  Performance,
  PublishedPost,
  Rehearsal,
  Revision,
  RunnerState,
  Spend,
  Undoable,
} from "tuitbot/src/web/api.ts";

/** Answers of the tools and commands that the page uses: the part of each that it shows. */

export interface FollowerDay {
  readonly date: string;
  readonly follower_count: number;
}

/** A change in the log of the page. */
export type LoggedCall = Commands["log"]["answer"]["entries"][number];

/** All that is known of one attempted change. */
export interface MutationDetail extends LogEntry {
  readonly client: string | null;
  readonly transport: string | null;
  readonly rule_id: string | null;
  readonly error_code: string | null;
  readonly rollback: unknown;
  readonly receipt: Readonly<Record<string, unknown>> | null;
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
