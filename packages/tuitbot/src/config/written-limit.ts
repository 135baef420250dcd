/** As in configurations and templates. */
export interface WrittenLimit {
  readonly key: string;
  readonly dimension: "tool" | "category" | "engagement_type" | "global";
  /** Empty or `*` for all. */
  readonly match_value: string;
  readonly max_count: number;
  readonly period_seconds: number;
}
