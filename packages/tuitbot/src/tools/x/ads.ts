import * as z from "zod";
import { xErrors } from "../../errors.ts";
import type { ToolFacts, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { objectIn, textIn } from "../../x/shapes/x-object.ts";
import { MAX_IDS, MAX_WORD } from "../../x/text-limits.ts";
import { askAds } from "../../x/toolkit/ads.ts";
import { HIDDEN } from "../params.ts";
import { defineTool } from "../product.ts";

/** An id of the Ads API. */
const word = z
  .string()
  .regex(/^[a-z0-9]{1,32}$/, "is not an id of the Ads API: send lower-case letters and digits");
const account_id = word.describe("Ads account id such as 18ce54d4x5t");
const campaign_id = word.describe("Campaign id such as 8wku2");
const line_item_id = word.describe("Line item id such as 9f2ix");
const ids = z.string().max(MAX_IDS).optional().describe("Only these ids, comma-separated: 8wku2,8wku3");
const time = z.string().max(MAX_WORD).optional().describe("Such as 2026-09-01T12:00:00Z");
const micros = z.int().min(0).describe("Millionths of the account's currency: 5500000 is 5.50");
const with_deleted = z.boolean().default(false).describe("true: deleted ones too");
const page = {
  with_deleted,
  cursor: z.string().max(MAX_WORD).optional().describe("meta.pagination.next_token of the page before"),
  count: z.int().min(1).max(1000).default(20).describe("Page size"),
};

interface AdsRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchWords: string;
  readonly request: `${keyof typeof EFFECT} /12/${string}`;
  readonly params: z.ZodRawShape;
  /** Its name, and the argument for the id. */
  readonly undo?: readonly [name: string, argument: string];
  /** Besides the caller's. */
  readonly always?: Readonly<Record<string, string>>;
}

const EFFECT = { GET: "none", POST: "create", PUT: "update", DELETE: "delete" } as const;

/** X's current names. */
const RENAMED: Readonly<Record<string, string>> = { status: "entity_status", bid_type: "bid_strategy" };

/** Version 12. Changes are in category `ads`, which always needs a person. */
const rows: readonly AdsRow[] = [
  {
    name: "accounts",
    searchWords: "my ads accounts",
    title: "List Ads accounts",
    description: "List the Ads accounts that the keys can reach.",
    request: "GET /12/accounts",
    params: page,
  },
  {
    name: "account_by_id",
    searchWords: "one ads account",
    title: "Get an Ads account",
    description: "Get one Ads account by its id.",
    request: "GET /12/accounts/{account_id}",
    params: { account_id, with_deleted },
  },
  {
    name: "analytics",
    searchWords: "performance of ads, results of a campaign, ad statistics",
    title: "Get Ads figures",
    description: "Get the figures of campaigns, line items or promoted posts over time.",
    request: "GET /12/stats/accounts/{account_id}",
    params: {
      account_id,
      entity: z.string().min(1).max(MAX_WORD).describe("What the ids are of, such as CAMPAIGN"),
      entity_ids: z
        .string()
        .min(1)
        .max(MAX_IDS)
        .describe("Ids of what is measured, comma-separated: 8wku2,8wku3"),
      start_time: time,
      end_time: time,
      granularity: z.enum(["HOUR", "DAY", "TOTAL"]).default("DAY").describe("Length of one step"),
      metric_groups: z.string().max(MAX_WORD).optional().describe("Comma-separated: ENGAGEMENT,BILLING"),
    },
    always: { placement: "ALL_ON_TWITTER" },
  },
  {
    name: "campaigns",
    searchWords: "my campaigns, which ads are running",
    title: "List campaigns",
    description: "List the campaigns of an Ads account.",
    request: "GET /12/accounts/{account_id}/campaigns",
    params: { account_id, campaign_ids: ids, ...page },
  },
  {
    name: "campaign_by_id",
    searchWords: "one campaign",
    title: "Get a campaign",
    description: "Get one campaign by its id.",
    request: "GET /12/accounts/{account_id}/campaigns/{campaign_id}",
    params: { account_id, campaign_id, with_deleted },
  },
  {
    name: "campaign_create",
    searchWords: "new ad campaign, start advertising, create an ad",
    title: "Create a campaign",
    description:
      "Create a campaign and return it. It is always paused: a person starts it. Undo with x_ads_campaign_delete.",
    request: "POST /12/accounts/{account_id}/campaigns",
    undo: ["x_ads_campaign_delete", "campaign_id"],
    params: {
      account_id,
      name: z.string().min(1).max(255).describe("Up to 255 characters"),
      funding_instrument_id: z.string().min(1).max(MAX_WORD).describe("Funding instrument id such as lygyi"),
      status: z.literal("PAUSED").default("PAUSED").meta(HIDDEN),
      daily_budget_amount_local_micro: micros.optional(),
      start_time: time,
      end_time: time,
    },
  },
  {
    name: "campaign_update",
    searchWords: "pause a campaign, stop an ad, start a paused campaign, change the budget of a campaign",
    title: "Change a campaign",
    description: "Pause, start or rename a campaign, or change its budget and times.",
    request: "PUT /12/accounts/{account_id}/campaigns/{campaign_id}",
    params: {
      account_id,
      campaign_id,
      name: z.string().min(1).max(255).optional().describe("Up to 255 characters"),
      status: z.enum(["PAUSED", "ACTIVE"]).optional().describe("PAUSED stops it"),
      daily_budget_amount_local_micro: micros.optional(),
      start_time: time,
      end_time: time,
    },
  },
  {
    name: "campaign_delete",
    searchWords: "delete a campaign",
    title: "Delete a campaign",
    description: "Delete a campaign. This cannot be undone; to stop it for now use x_ads_campaign_update.",
    request: "DELETE /12/accounts/{account_id}/campaigns/{campaign_id}",
    params: { account_id, campaign_id },
  },
  {
    name: "funding_instruments",
    searchWords: "who pays for ads, payment method of ads",
    title: "List funding instruments",
    description: "List the funding instruments (who pays) of an Ads account.",
    request: "GET /12/accounts/{account_id}/funding_instruments",
    params: { account_id, ...page },
  },
  {
    name: "line_items",
    searchWords: "bids and placements, ad groups",
    title: "List line items",
    description: "List the line items (bids and placements) of an Ads account.",
    request: "GET /12/accounts/{account_id}/line_items",
    params: { account_id, campaign_ids: ids, line_item_ids: ids, ...page },
  },
  {
    name: "line_item_create",
    searchWords: "new ad group, bid for a placement",
    title: "Create a line item",
    description: "Create a line item in a campaign and return it. It is always paused: a person starts it.",
    request: "POST /12/accounts/{account_id}/line_items",
    params: {
      account_id,
      campaign_id,
      bid_amount_local_micro: micros,
      product_type: z.string().min(1).max(MAX_WORD).describe("Such as PROMOTED_TWEETS"),
      placements: z.string().min(1).max(MAX_WORD).describe("Comma-separated: ALL_ON_TWITTER"),
      objective: z.string().min(1).max(MAX_WORD).describe("Such as ENGAGEMENTS"),
      bid_type: z.string().max(MAX_WORD).optional().describe("Such as AUTO"),
      total_budget_amount_local_micro: micros.optional(),
    },
    always: { entity_status: "PAUSED" },
  },
  {
    name: "promoted_tweets",
    searchWords: "which posts are promoted",
    title: "List promoted posts",
    description: "List the posts that line items promote.",
    request: "GET /12/accounts/{account_id}/promoted_tweets",
    params: { account_id, line_item_ids: ids, ...page },
  },
  {
    name: "promoted_tweet_create",
    searchWords: "promote a post, advertise a tweet",
    title: "Promote posts",
    description: "Promote posts with a line item.",
    request: "POST /12/accounts/{account_id}/promoted_tweets",
    params: {
      account_id,
      line_item_id,
      tweet_ids: z.string().min(1).max(MAX_IDS).describe("Post ids, comma-separated"),
    },
  },
  {
    name: "targeting_criteria",
    searchWords: "whom do ads reach, audience of an ad",
    title: "List targeting criteria",
    description: "List the criteria by which line items choose whom they reach.",
    request: "GET /12/accounts/{account_id}/targeting_criteria",
    params: { account_id, line_item_ids: ids, ...page },
  },
  {
    name: "targeting_create",
    searchWords: "target an audience by country or language or interest, narrow the audience of an ad",
    title: "Add a targeting criterion",
    description: "Narrow whom a line item reaches by one criterion. Undo with x_ads_targeting_delete.",
    request: "POST /12/accounts/{account_id}/targeting_criteria",
    undo: ["x_ads_targeting_delete", "id"],
    params: {
      account_id,
      line_item_id,
      targeting_type: z.string().min(1).max(MAX_WORD).describe("Such as LOCATION"),
      targeting_value: z.string().min(1).max(MAX_WORD).describe("Its value, such as 96683cc9126741d1"),
    },
  },
  {
    name: "targeting_delete",
    searchWords: "remove targeting",
    title: "Delete a targeting criterion",
    description: "Delete a targeting criterion; its line item then reaches more people.",
    request: "DELETE /12/accounts/{account_id}/targeting_criteria/{id}",
    params: { account_id, id: word.describe("Criterion id such as dpl3a6") },
  },
];

export const adsTools: readonly TuitbotTool[] = rows.map(
  ({ name, title, description, searchWords, request, params, undo, always }) => {
    // By the row's type, two words.
    const [method, template] = request.split(" ") as [keyof typeof EFFECT, string];
    return defineTool({
      name: `x_ads_${name}`,
      title,
      description,
      searchWords,
      category: "ads",
      effect: EFFECT[method],
      openWorld: true,
      profiles: writeUp,
      needs: ["x"],
      errors: xErrors,
      facts: { policyCategory: "ads", ...(undo && undoneBy(...undo)) },
      goOn: "Ask for a smaller page.",
      input: z.strictObject(params),
      output: z.object({ data: z.unknown() }),
      handler: (input, { x, signal }) => {
        const { path, rest } = placed(template, input);
        return askAds(x, { method, path, query: { ...rest, ...always } }, signal);
      },
    });
  },
);

function undoneBy(undoTool: string, argument: string): ToolFacts {
  return {
    undoTool,
    undo: ({ account_id }, result) => {
      const id = textIn(objectIn(result, "data"), "id");
      return id === undefined ? undefined : { params: { account_id: account_id ?? "", [argument]: id } };
    },
  };
}

/** Into the path where it names them, otherwise into the query. */
function placed(template: string, input: Readonly<Record<string, unknown>>) {
  const rest: Record<string, unknown> = {};
  let path = template;
  for (const [name, value] of Object.entries(input)) {
    const place = `{${name}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)));
    else rest[RENAMED[name] ?? name] = value;
  }
  return { path, rest };
}
