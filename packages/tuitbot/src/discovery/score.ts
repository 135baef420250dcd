import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Config } from "../config/schema.ts";
import { hasWords } from "./words.ts";

export interface PostFacts {
  readonly text: string;
  readonly followers: number;
  readonly likes: number;
  readonly reposts: number;
  readonly replies: number;
  /** Epoch milliseconds, if known. */
  readonly createdAt: number | undefined;
  readonly hasMedia?: boolean;
  readonly isQuote?: boolean;
}

/** Points per signal. */
export interface Weights {
  readonly keyword_relevance_max: number;
  readonly follower_count_max: number;
  readonly recency_max: number;
  readonly engagement_rate_max: number;
  readonly reply_count_max: number;
  readonly content_type_max: number;
}

export interface ScoreSetting {
  readonly weights: Weights;
  readonly keywords: readonly string[];
  /** From `searchedWords`. */
  readonly searched?: readonly (readonly string[])[];
  readonly now: number;
}

export interface Score {
  total: number;
  keyword_relevance: number;
  follower: number;
  recency: number;
  engagement: number;
  reply_count: number;
  content_type: number;
}

/** From 0 to 100, the sum of six signals, whatever the weights add up to. */
export function scorePost(post: PostFacts, { weights, keywords, searched = [], now }: ScoreSetting): Score {
  const { keyword_relevance_max, follower_count_max, recency_max } = weights;
  const { engagement_rate_max, reply_count_max, content_type_max } = weights;
  const most =
    keyword_relevance_max +
    follower_count_max +
    recency_max +
    engagement_rate_max +
    reply_count_max +
    content_type_max;
  const scale = most === 0 ? 0 : 100 / most;
  const relevance = Math.max(keywordShare(post.text, keywords), searchShare(post.text, searched));
  const signals = {
    keyword_relevance: scale * keyword_relevance_max * relevance,
    follower: scale * follower_count_max * audienceShare(post.followers),
    recency: scale * recency_max * recencyShare(post.createdAt, now),
    engagement: scale * engagement_rate_max * engagementShare(post),
    reply_count: scale * reply_count_max * Math.max(0, 1 - post.replies / CROWDED_REPLIES),
    content_type: scale * content_type_max * (post.hasMedia || post.isQuote ? 0 : 1),
  };
  const sum = Object.values(signals).reduce((total, points) => total + points, 0);
  return rounded({ total: Math.min(100, sum), ...signals });
}

function rounded(score: Score): Score {
  const entries = Object.entries(score).map(([signal, points]) => [signal, Math.round(points * 100) / 100]);
  // The same keys, with rounded numbers.
  return Object.fromEntries(entries) as Score;
}

/** From so many replies on. */
const CROWDED_REPLIES = 20;
/** Share of followers who react. */
const FULL_ENGAGEMENT = 0.05;

/** Matches, however many keywords there are. */
const FULL_MATCH = 3;

/** A phrase counts twice. */
function keywordShare(text: string, keywords: readonly string[]): number {
  let total = 0;
  let matched = 0;
  for (const keyword of keywords) {
    const weight = keyword.includes(" ") ? 2 : 1;
    total += weight;
    if (hasWords(text, keyword)) matched += weight;
  }
  return total === 0 ? 0 : Math.min(1, matched / Math.min(total, FULL_MATCH));
}

/** For the best alternative of the search. */
function searchShare(text: string, alternatives: readonly (readonly string[])[]): number {
  const shares = alternatives.map(
    (words) => words.filter((word) => hasWords(text, word)).length / words.length,
  );
  return Math.max(0, ...shares);
}

/** 1,000 to 10,000 followers are best: seen by many, but likely to answer. */
function audienceShare(followers: number): number {
  if (followers < 100) return followers / 200;
  if (followers < 1000) return 0.5 + (followers - 100) / 1800;
  if (followers <= 10_000) return 1;
  if (followers <= 100_000) return 1 - (0.75 * (followers - 10_000)) / 90_000;
  return 0.25;
}

/** None after six hours. */
function recencyShare(createdAt: number | undefined, now: number): number {
  if (createdAt === undefined) return 0;
  const minutes = Math.max(0, Math.floor((now - createdAt) / MINUTE_MS));
  if (minutes <= 5) return 1;
  if (minutes <= 30) return 1 - (0.2 * (minutes - 5)) / 25;
  if (minutes <= 60) return 0.8 - (0.3 * (minutes - 30)) / 30;
  if (minutes <= 360) return 0.5 - (0.25 * (minutes - 60)) / 300;
  return 0;
}

function engagementShare({ likes, reposts, replies, followers }: PostFacts): number {
  const rate = (likes + reposts + replies) / Math.max(followers, 1);
  return Math.min(1, rate / FULL_ENGAGEMENT);
}

/** Product, competitors and industry. */
export function scoringKeywords({ business }: Pick<Config, "business">): readonly string[] {
  const topics = business.industry_topics.length > 0 ? business.industry_topics : business.product_keywords;
  const all = [...business.product_keywords, ...business.competitor_keywords, ...topics];
  return [...new Set(all.map((keyword) => keyword.trim().toLowerCase()))].filter((keyword) => keyword !== "");
}
