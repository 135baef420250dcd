import type { Tool } from "@toolpact/contract";
import * as z from "zod";
import { defineTool } from "../product.ts";
import { adminOnly } from "../profiles.ts";
import { adsRefused } from "../toolkit/ads-access.ts";

const account_id = z.string().min(1).describe("Advertising account");
const campaign_id = z.string().min(1).describe("Campaign");
const line_item_id = z.string().min(1).describe("Line item");
const ids = z.string().optional().describe("Only these ids, comma-separated");
const time = z.string().optional().describe("ISO-8601");
const micros = z.int().min(0).describe("Millionths of the account's currency");
const with_deleted = z.boolean().default(false).describe("Deleted ones too");
const page = {
  with_deleted,
  cursor: z.string().optional().describe("Of the page before"),
  count: z.int().min(1).max(1000).default(200).describe("Page size"),
};

interface AdsRow {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly effect: "none" | "create" | "update" | "delete";
  readonly params: z.ZodRawShape;
}

/**
 * X's Ads API as the profile announces it. X takes OAuth 1.0a alone there, so each says so and sends nothing; what
 * would change something is policy category `ads`, which always needs a person.
 */
const rows: readonly AdsRow[] = [
  { name: "accounts", title: "Advertising accounts", what: "List them.", effect: "none", params: page },
  {
    name: "account_by_id",
    title: "Get an advertising account",
    what: "Look at one.",
    effect: "none",
    params: { account_id, with_deleted },
  },
  {
    name: "analytics",
    title: "Advertising figures",
    what: "How campaigns and their parts have done.",
    effect: "none",
    params: {
      account_id,
      entity: z.string().optional().describe("Such as CAMPAIGN"),
      entity_ids: ids,
      start_time: time,
      end_time: time,
      granularity: z.enum(["HOUR", "DAY", "TOTAL"]).default("DAY").describe("Step"),
      metric_groups: z.string().optional().describe("Comma-separated"),
    },
  },
  {
    name: "campaigns",
    title: "Campaigns",
    what: "List them.",
    effect: "none",
    params: { account_id, campaign_ids: ids, ...page },
  },
  {
    name: "campaign_by_id",
    title: "Get a campaign",
    what: "Look at one.",
    effect: "none",
    params: { account_id, campaign_id, with_deleted },
  },
  {
    name: "campaign_create",
    title: "Create a campaign",
    what: "Always paused: a person starts it.",
    effect: "create",
    params: {
      account_id,
      name: z.string().min(1).max(255).describe("Name"),
      funding_instrument_id: z.string().min(1).describe("Who pays"),
      status: z.literal("PAUSED").default("PAUSED").describe("Always PAUSED"),
      daily_budget_amount_local_micro: micros.optional(),
      start_time: time,
      end_time: time,
    },
  },
  {
    name: "campaign_update",
    title: "Change a campaign",
    what: "Pause it, rename it, or change budget and times.",
    effect: "update",
    params: {
      account_id,
      campaign_id,
      name: z.string().min(1).max(255).optional().describe("Name"),
      status: z.enum(["PAUSED", "ACTIVE"]).optional().describe("Whether it runs"),
      daily_budget_amount_local_micro: micros.optional(),
      start_time: time,
      end_time: time,
    },
  },
  {
    name: "campaign_delete",
    title: "Delete a campaign",
    what: "For good.",
    effect: "delete",
    params: { account_id, campaign_id },
  },
  {
    name: "funding_instruments",
    title: "Funding instruments",
    what: "List who pays.",
    effect: "none",
    params: { account_id, ...page },
  },
  {
    name: "line_items",
    title: "Line items",
    what: "List them.",
    effect: "none",
    params: { account_id, campaign_ids: ids, line_item_ids: ids, ...page },
  },
  {
    name: "line_item_create",
    title: "Create a line item",
    what: "Always paused: a person starts it.",
    effect: "create",
    params: {
      account_id,
      campaign_id,
      bid_amount_local_micro: micros,
      product_type: z.string().min(1).describe("Such as PROMOTED_TWEETS"),
      placements: z.string().min(1).describe("Comma-separated, such as ALL_ON_TWITTER"),
      objective: z.string().min(1).describe("Such as ENGAGEMENTS"),
      bid_type: z.string().optional().describe("Such as AUTO"),
      total_budget_amount_local_micro: micros.optional(),
    },
  },
  {
    name: "promoted_tweets",
    title: "Promoted posts",
    what: "List them.",
    effect: "none",
    params: { account_id, line_item_ids: ids, ...page },
  },
  {
    name: "promoted_tweet_create",
    title: "Promote posts",
    what: "Tie posts to a line item.",
    effect: "create",
    params: { account_id, line_item_id, tweet_ids: z.string().min(1).describe("Comma-separated") },
  },
  {
    name: "targeting_criteria",
    title: "Targeting",
    what: "List whom line items reach.",
    effect: "none",
    params: { account_id, line_item_ids: ids, ...page },
  },
  {
    name: "targeting_create",
    title: "Add targeting",
    what: "Narrow whom a line item reaches.",
    effect: "create",
    params: {
      account_id,
      line_item_id,
      targeting_type: z.string().min(1).describe("Such as LOCATION"),
      targeting_value: z.string().min(1).describe("Its value"),
    },
  },
  {
    name: "targeting_delete",
    title: "Remove targeting",
    what: "Widen whom a line item reaches.",
    effect: "delete",
    params: { account_id, id: z.string().min(1).describe("Targeting criterion") },
  },
];

export const adsTools: readonly Tool[] = rows.map(({ name, title, what, effect, params }) =>
  defineTool({
    name: `x_ads_${name}`,
    title,
    describe: `${what} X takes OAuth 1.0a alone for this: answers so, sends nothing.`,
    category: "ads",
    effect,
    openWorld: true,
    profiles: adminOnly,
    needs: ["x"],
    errors: ["x_forbidden"],
    input: z.strictObject(params),
    output: z.object({}),
    run: () => adsRefused(),
  }),
);
