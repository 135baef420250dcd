import type { Json, JsonObject } from "@toolpact/contract";
import { listIn, objectIn, textIn, type XObject } from "./shapes/x-object.ts";

/** How to undo what a tool has done. */
export interface Rollback {
  readonly reversible: boolean;
  readonly undo_tool?: string;
  readonly params?: JsonObject;
  readonly note?: string;
}

export function rollbackOf(tool: string, input: JsonObject, result: Json): Rollback {
  return (
    RULES[tool]?.(input as XObject, objectIn(result)) ?? { reversible: false, note: "Nothing undoes this." }
  );
}

/** The tools that undoing calls, for a test that they exist. */
export function undoTools(): readonly string[] {
  return [DELETE, DELETE_LIST, DELETE_RULES, DELETE_CAMPAIGN, DELETE_TARGETING, ...Object.values(OPPOSITES)];
}

const DELETE = "x_delete_tweet";
const DELETE_LIST = "x_v2_lists_delete";
const DELETE_RULES = "x_v2_stream_rules_delete";
const DELETE_CAMPAIGN = "x_ads_campaign_delete";
const DELETE_TARGETING = "x_ads_targeting_delete";

/** Tools that undo each other with the same arguments. */
const OPPOSITES: Readonly<Record<string, string>> = bothWays({
  x_like_tweet: "x_unlike_tweet",
  x_follow_user: "x_unfollow_user",
  x_retweet: "x_unretweet",
  x_bookmark_tweet: "x_unbookmark_tweet",
  x_v2_mutes_create: "x_v2_mutes_delete",
  x_v2_lists_follow: "x_v2_lists_unfollow",
  x_v2_lists_members_add: "x_v2_lists_members_remove",
  x_v2_tweets_hide_reply: "x_v2_tweets_unhide_reply",
});

type Rule = (input: XObject, result: XObject) => Rollback | undefined;

const onePost: Rule = (_, result) => {
  const tweet_id = textIn(result, "id");
  return tweet_id === undefined
    ? undefined
    : { reversible: true, undo_tool: DELETE, params: { tweet_id }, note: "Deleting is for good." };
};

const RULES: Readonly<Record<string, Rule>> = {
  x_post_tweet: onePost,
  x_reply_to_tweet: onePost,
  x_quote_tweet: onePost,
  x_post_thread: (_, result) => {
    const tweet_ids = listIn(result, "thread_tweet_ids").map(String).reverse();
    return tweet_ids.length === 0
      ? undefined
      : {
          reversible: true,
          undo_tool: DELETE,
          params: { tweet_ids },
          note: "Delete them one by one in this order.",
        };
  },
  x_delete_tweet: () => ({ reversible: false, note: "What is deleted cannot be brought back." }),
  x_upload_media: () => ({ reversible: false, note: "X forgets a file that no post uses within a day." }),
  x_v2_lists_create: (_, result) => {
    const id = textIn(result, "id");
    return id === undefined ? undefined : { reversible: true, undo_tool: DELETE_LIST, params: { id } };
  },
  x_v2_stream_rules_add: (_, result) => {
    const rule_ids = listIn(result, "rules").map((rule) => textIn(objectIn(rule), "id") ?? "");
    return rule_ids.length === 0
      ? undefined
      : { reversible: true, undo_tool: DELETE_RULES, params: { rule_ids: rule_ids.join(",") } };
  },
  x_ads_campaign_create: deletesAd(DELETE_CAMPAIGN, "campaign_id"),
  x_ads_targeting_create: deletesAd(DELETE_TARGETING, "id"),
  ...Object.fromEntries(Object.entries(OPPOSITES).map(([tool, undo]) => [tool, opposite(undo)])),
};

function deletesAd(undo_tool: string, name: string): Rule {
  return (input, result) => {
    const [account_id, id] = [textIn(input, "account_id"), textIn(objectIn(result, "data"), "id")];
    return account_id === undefined || id === undefined
      ? undefined
      : { reversible: true, undo_tool, params: { account_id, [name]: id } };
  };
}

function opposite(undo_tool: string): Rule {
  return (input) => ({
    reversible: true,
    undo_tool,
    params: Object.fromEntries(
      Object.entries(input).filter(([name, value]) => /_?id$/.test(name) && typeof value === "string"),
    ) as JsonObject,
  });
}

function bothWays(pairs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...pairs, ...Object.fromEntries(Object.entries(pairs).map(([one, other]) => [other, one])) };
}
