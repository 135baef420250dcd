import type { AdsKind } from "../world/ads-store.ts";

export interface AdsResource {
  /** The query parameter that filters by ids. */
  readonly ids: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** By parameter. */
  readonly refers: Readonly<Record<string, AdsKind>>;
  /** One resource is created per value. */
  readonly each?: { readonly parameter: string; readonly field: string };
  /** It can be paused; X creates it active. */
  readonly hasStatus: boolean;
  readonly canChange: boolean;
}

export const adsResources: Readonly<Record<AdsKind, AdsResource>> = {
  funding_instruments: {
    ids: "funding_instrument_ids",
    required: [],
    optional: [],
    refers: {},
    hasStatus: false,
    canChange: false,
  },
  campaigns: {
    ids: "campaign_ids",
    required: ["funding_instrument_id", "name"],
    optional: ["daily_budget_amount_local_micro", "start_time", "end_time"],
    refers: { funding_instrument_id: "funding_instruments" },
    hasStatus: true,
    canChange: true,
  },
  line_items: {
    ids: "line_item_ids",
    required: ["campaign_id", "objective", "placements", "product_type"],
    optional: ["bid_amount_local_micro", "bid_strategy", "total_budget_amount_local_micro"],
    refers: { campaign_id: "campaigns" },
    hasStatus: true,
    canChange: true,
  },
  promoted_tweets: {
    ids: "promoted_tweet_ids",
    required: ["line_item_id", "tweet_ids"],
    optional: [],
    refers: { line_item_id: "line_items" },
    each: { parameter: "tweet_ids", field: "tweet_id" },
    hasStatus: false,
    canChange: false,
  },
  targeting_criteria: {
    ids: "targeting_criterion_ids",
    required: ["line_item_id", "targeting_type", "targeting_value"],
    optional: [],
    refers: { line_item_id: "line_items" },
    hasStatus: false,
    canChange: false,
  },
};
