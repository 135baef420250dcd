import type { Args, ToolCall } from "./tool-call.ts";

const account = { account_id: "18ce54d4x5t" };
const onCampaign = { ...account, campaign_id: "8wku2" };
const onLineItem = { ...account, line_item_id: "6c62d" };

export const adsCalls: Readonly<Record<string, ToolCall>> = {
  x_ads_accounts: refused({}),
  x_ads_account_by_id: refused(account),
  x_ads_analytics: refused({ ...account, entity: "CAMPAIGN", entity_ids: "8wku2" }),
  x_ads_campaigns: refused(account),
  x_ads_campaign_by_id: refused(onCampaign),
  x_ads_campaign_create: refused({ ...account, name: "Autumn", funding_instrument_id: "lygyi" }),
  x_ads_campaign_update: refused({ ...onCampaign, status: "ACTIVE" }),
  x_ads_campaign_delete: refused(onCampaign),
  x_ads_funding_instruments: refused(account),
  x_ads_line_items: refused(account),
  x_ads_line_item_create: refused({
    ...onCampaign,
    bid_amount_local_micro: 1_000_000,
    product_type: "PROMOTED_TWEETS",
    placements: "ALL_ON_TWITTER",
    objective: "ENGAGEMENTS",
  }),
  x_ads_promoted_tweets: refused(account),
  x_ads_promoted_tweet_create: refused({ ...onLineItem, tweet_ids: "1,2" }),
  x_ads_targeting_criteria: refused(account),
  x_ads_targeting_create: refused({
    ...onLineItem,
    targeting_type: "LOCATION",
    targeting_value: "00a8b25e420adc94",
  }),
  x_ads_targeting_delete: refused({ ...account, id: "dcf5l" }),
};

/** X takes OAuth 1.0a alone for advertising: without keys for it nothing is sent. */
function refused(args: Args): ToolCall {
  return {
    args: () => args,
    failures: [
      {
        what: "a sign-in that X does not take for it",
        args: () => args,
        code: "x_not_configured",
        asksX: false,
      },
    ],
  };
}
