import { hasWords } from "../discovery/words.ts";
import { type AuthorRecord, responseRate } from "./risk-signals.ts";

export interface Situation {
  readonly text: string;
  readonly keywords: readonly string[];
  readonly objective: string | undefined;
  readonly author: AuthorRecord;
  readonly maxPerAuthor: number;
  readonly repliesToday: number;
  readonly maxReplies: number;
  readonly approvalMode: boolean;
}

export interface Factor {
  factor:
    | "keyword_relevance"
    | "author_relationship"
    | "author_frequency"
    | "daily_capacity"
    | "campaign_alignment";
  signal: "positive" | "neutral" | "negative";
  weight: number;
  /** 0 to 100. */
  score: number;
  detail: string;
}

export interface Consideration {
  policy: "approval_mode" | "daily_rate_limit" | "per_author_limit";
  status: "warning" | "blocked";
  detail: string;
}

export interface Recommendation {
  recommended_action: "reply" | "observe" | "skip";
  score: number;
  contributing_factors: Factor[];
  policy_considerations: Consideration[];
}

/** By five weighted factors. An exhausted limit always means skip. */
export function recommend(situation: Situation): Recommendation {
  const factors = [
    keywordRelevance(situation),
    authorRelationship(situation),
    authorFrequency(situation),
    dailyCapacity(situation),
    campaignAlignment(situation),
  ];
  const considerations = considerationsOf(situation);
  const total = factors.reduce((sum, { score, weight }) => sum + (score * weight) / 100, 0);
  const isBlocked = considerations.some(({ status }) => status === "blocked");
  return {
    recommended_action: actionFor(total, isBlocked),
    score: total,
    contributing_factors: factors,
    policy_considerations: considerations,
  };
}

function actionFor(total: number, isBlocked: boolean): Recommendation["recommended_action"] {
  if (isBlocked || total < OBSERVE_FROM) return "skip";
  return total >= REPLY_FROM ? "reply" : "observe";
}

const REPLY_FROM = 65;
const OBSERVE_FROM = 40;

function keywordRelevance({ text, keywords }: Situation): Factor {
  const matches = keywords.filter((keyword) => hasWords(text, keyword));
  return factor(
    "keyword_relevance",
    30,
    matches.length === 0 ? 10 : Math.min(100, 30 * matches.length),
    matches.length === 0 ? "The post contains no keyword." : `Keywords in the post: ${matches.join(", ")}.`,
  );
}

function authorRelationship({ author }: Situation): Factor {
  if (author.replies === 0) return factor("author_relationship", 20, 50, "No earlier reply to this author.");
  const rate = responseRate(author);
  const score = rate > 0.2 ? 90 : rate > 0 ? 60 : 30;
  return factor(
    "author_relationship",
    20,
    score,
    `${author.engaged} of ${author.measured} measured replies got a like or an answer.`,
  );
}

function authorFrequency({ author, maxPerAuthor }: Situation): Factor {
  const { repliesToday } = author;
  const score = repliesToday >= maxPerAuthor ? 0 : repliesToday > 0 ? 40 : 100;
  return factor(
    "author_frequency",
    15,
    score,
    `${repliesToday} of ${maxPerAuthor} replies to this author today.`,
  );
}

function dailyCapacity({ repliesToday, maxReplies }: Situation): Factor {
  const score = repliesToday >= maxReplies ? 0 : repliesToday > 0.8 * maxReplies ? 30 : 100;
  return factor("daily_capacity", 15, score, `${repliesToday} of ${maxReplies} replies today.`);
}

function campaignAlignment({ text, objective }: Situation): Factor {
  if (objective === undefined || objective.trim() === "")
    return factor("campaign_alignment", 20, 50, "No objective was given.");
  const words = new Set(
    objective
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 3),
  );
  const found = [...words].filter((word) => hasWords(text, word));
  const score = found.length >= 3 ? 90 : found.length >= 1 ? 60 : 20;
  return factor("campaign_alignment", 20, score, `${found.length} words of the objective are in the post.`);
}

function considerationsOf(situation: Situation): Consideration[] {
  const { approvalMode, author, maxPerAuthor, repliesToday, maxReplies } = situation;
  const considerations: Consideration[] = [];
  if (approvalMode)
    considerations.push({
      policy: "approval_mode",
      status: "warning",
      detail: "A person approves every reply before it is sent.",
    });
  if (repliesToday >= maxReplies)
    considerations.push({
      policy: "daily_rate_limit",
      status: "blocked",
      detail: `All ${maxReplies} replies of the day are used up.`,
    });
  else if (repliesToday > 0.8 * maxReplies)
    considerations.push({
      policy: "daily_rate_limit",
      status: "warning",
      detail: `${repliesToday} of ${maxReplies} replies of the day are used up.`,
    });
  if (author.repliesToday >= maxPerAuthor)
    considerations.push({
      policy: "per_author_limit",
      status: "blocked",
      detail: `All ${maxPerAuthor} replies to this author today are used up.`,
    });
  return considerations;
}

function factor(name: Factor["factor"], weight: number, score: number, detail: string): Factor {
  return { factor: name, signal: signalOf(score), weight, score, detail };
}

function signalOf(score: number): Factor["signal"] {
  if (score >= 60) return "positive";
  return score >= 40 ? "neutral" : "negative";
}
