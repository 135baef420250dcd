import { failed, nearest, type Outcome, ok } from "@toolpact/contract";
import type { KnownCatalog } from "../mutation/plan.ts";
import type { Profile } from "../profiles.ts";
import { catalogFor } from "./catalog.ts";

/** The toolset beside the categories: what most days need. */
export const EVERYDAY = "everyday";

/** Reading, replying, own posts and drafts, what waits for approval, and how it does. */
const everydayTools: readonly string[] = [
  "create_draft",
  "edit_draft",
  "find_reply_opportunities",
  "get_analytics_summary",
  "get_capabilities",
  "get_draft",
  "get_recent_mutations",
  "get_stats",
  "get_tweet_by_id",
  "get_x_usage",
  "health_check",
  "list_drafts",
  "list_pending_approvals",
  "publish_draft",
  "schedule_draft",
  "x_delete_tweet",
  "x_get_home_timeline",
  "x_get_me",
  "x_get_user_by_username",
  "x_get_user_mentions",
  "x_get_user_tweets",
  "x_like_tweet",
  "x_post_thread",
  "x_post_tweet",
  "x_post_tweet_dry_run",
  "x_quote_tweet",
  "x_reply_to_tweet",
  "x_search_tweets",
  "x_unlike_tweet",
  "x_upload_media",
];

/** Narrows a profile; nothing widens it. */
export interface Narrowing {
  /** Categories, and `everyday`. */
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
}

/** The tools of a profile that are left, or the name that is none of its tools. */
export function selectTools(profile: Profile, narrowing: Narrowing): Outcome<KnownCatalog, string> {
  const whole = catalogFor(profile);
  const names = whole.tools.map(({ name }) => name);
  const categories = [...new Set(whole.tools.map(({ category }) => category))].sort();
  const problem =
    unknown("toolset", narrowing.toolsets, [EVERYDAY, ...categories], profile) ??
    unknown("tool", [...(narrowing.tools ?? []), ...(narrowing.excludeTools ?? [])], names, profile);
  if (problem !== undefined) return failed(problem);
  const { toolsets, tools, excludeTools } = narrowing;
  const isInToolset = ({ name, category }: { readonly name: string; readonly category: string }) =>
    toolsets === undefined ||
    toolsets.includes(category) ||
    (toolsets.includes(EVERYDAY) && everydayTools.includes(name));
  const selected = whole.select({
    tools: whole.tools
      .filter((tool) => isInToolset(tool) && (tools === undefined || tools.includes(tool.name)))
      .map(({ name }) => name),
    ...(excludeTools && { excludeTools }),
  });
  return selected.tools.length === 0 ? failed("No tool is left.") : ok(selected);
}

function unknown(
  what: "tool" | "toolset",
  asked: readonly string[] | undefined,
  known: readonly string[],
  profile: Profile,
): string | undefined {
  const name = asked?.find((candidate) => !known.includes(candidate));
  if (name === undefined) return undefined;
  const guess = nearest(name, known);
  const hint = guess === undefined ? "" : ` Did you mean ${guess}?`;
  const list = what === "toolset" ? ` It has ${known.join(", ")}.` : "";
  return `The profile ${profile} has no ${what} ${JSON.stringify(name)}.${hint}${list}`;
}
