import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import type { Session } from "../storage/store.ts";
import type { XObject } from "../x/shapes/x-object.ts";
import { askX } from "../x/toolkit/ask-x.ts";
import { whyNoReply } from "./feed.ts";
import { FOUND_FIELDS, foundPosts } from "./found-post.ts";
import { rememberPosts, type ScoredPost } from "./remember.ts";

export interface SearchContext extends Session {
  readonly client: XClient;
  readonly access: Access;
  readonly config: Pick<Config, "business" | "scoring">;
  readonly now: () => number;
}

export interface SearchQuery {
  /** Default: the product keywords. */
  readonly query?: string | undefined;
  readonly minScore?: number | undefined;
  readonly limit: number;
  readonly sinceId?: string | undefined;
  /** Mentioning this name. */
  readonly mentioning?: string | undefined;
}

export interface Opportunity extends ScoredPost {
  readonly verdict: Verdict;
  /** Undefined if X allows a reply, as far as known. */
  readonly whyNot: string | undefined;
}

export interface Opportunities {
  readonly candidates: readonly Opportunity[];
  /** Returned by X. */
  readonly searched: number;
  readonly query: string;
  readonly threshold: number;
}

/** Stores all, and returns the best above the threshold. */
export async function findOpportunities(
  searching: SearchContext,
  wish: SearchQuery,
  signal: AbortSignal,
): Promise<Outcome<Opportunities, Failure<SearchCode>>> {
  const { account, client, access, config, now } = searching;
  const topic = wish.query ?? queryOf(config.business.product_keywords);
  if (topic === undefined)
    return errors.fail("invalid_input", "No keywords were given, and none are configured.", {
      suggestedFix: "Give a `query`, or set business.product_keywords.",
      fixBy: "agent",
    });
  const query = wish.mentioning === undefined ? topic : `(${topic}) @${wish.mentioning}`;
  const answer = await askX<readonly XObject[]>(client, "searchPostsRecent", {
    query: {
      query,
      max_results: Math.min(MAX_RESULTS, Math.max(MIN_RESULTS, wish.limit)),
      ...(wish.sinceId !== undefined && { since_id: wish.sinceId }),
      ...FOUND_FIELDS,
    },
    signal,
  });
  if (!answer.ok) return answer;
  const found = foundPosts(answer.value, account);
  const scored = await rememberPosts(searching, found, { config, source: "search", query, now: now() });
  const threshold = wish.minScore ?? config.scoring.threshold;
  const candidates = scored
    .filter(({ score }) => score.total >= threshold)
    .sort((a, b) => b.score.total - a.score.total)
    .slice(0, wish.limit)
    .map((post) => {
      const facts = {
        is_summons: post.isSummons ? 1 : 0,
        reply_settings: post.replySettings ?? null,
        reply_refused: post.isRefused ? 1 : 0,
      };
      const whyNot = post.isAnswered ? "You have replied to it already." : whyNoReply(facts, access);
      // The operator's threshold, so advice is the same in every search.
      const verdict = verdictOf(post.score.total, config.scoring.threshold);
      return { ...post, whyNot, verdict: whyNot === undefined ? verdict : ("skip" as const) };
    });
  return ok({
    candidates,
    searched: answer.value.data.length,
    query,
    threshold,
  });
}

type SearchCode = Extract<Awaited<ReturnType<typeof askX>>, { ok: false }>["failure"]["code"];

/** X's limits per page. */
const MIN_RESULTS = 10;
const MAX_RESULTS = 100;

/** Without reposts; undefined without keywords. */
export function queryOf(keywords: readonly string[]): string | undefined {
  const words = keywords
    .map((keyword) => keyword.replaceAll('"', "").trim())
    .filter((keyword) => keyword !== "")
    .map((keyword) => (/[^\p{L}\p{N}_]/u.test(keyword) ? `"${keyword}"` : keyword));
  return words.length === 0 ? undefined : `(${words.join(" OR ")}) -is:retweet`;
}

export type Verdict = "strong_reply" | "consider" | "skip";

function verdictOf(score: number, threshold: number): Verdict {
  if (score >= threshold + STRONG_MARGIN) return "strong_reply";
  return score >= threshold ? "consider" : "skip";
}

/** Points above the threshold. */
const STRONG_MARGIN = 15;
