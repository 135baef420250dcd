import { findCashtags } from "./cashtags.ts";
import type { Entities, UrlRange } from "./entities.ts";
import { findHashtags } from "./hashtags.ts";
import { findMentions } from "./mentions.ts";
import { withoutOverlaps } from "./overlaps.ts";
import {
  AT_SIGN,
  DOLLAR_SIGN,
  FULL_STOP,
  HASH_SIGN,
  INVALID,
  scanNormalized,
  type TextScan,
} from "./scan.ts";
import { findUrls } from "./urls.ts";
import { weigh } from "./weight.ts";

/** Whether a text can be posted, and at what price. */
export interface PostWeight {
  /** The text as X stores it, in Unicode normal form C. */
  readonly text: string;
  readonly weighted_length: number;
  readonly limit: number;
  readonly valid: boolean;
  readonly problems: readonly TextProblem[];
  /** X charges a post with a link many times what a post without one costs. */
  readonly billable_as: "post" | "post_with_url";
}

/** The text of a post as X reads it. Indices refer to `text`. */
export interface PostText extends PostWeight, Entities {}

export type TextProblem = "empty" | "too_long" | "invalid_characters";

/** The weight a post may have without a paid subscription. */
export const POST_LIMIT = 280;

/**
 * Reads a text by X's published rules.
 *
 * ```ts
 * const post = parsePost("See README.md, @toolpact");
 * post.billable_as; // "post_with_url": .md is a top-level domain
 * ```
 */
export function parsePost(text: string, limit: number = POST_LIMIT): PostText {
  const scan = scanNormalized(text);
  const urls = linksIn(scan);
  const { text: normal, seen } = scan;
  return {
    ...verdict(scan, urls, limit),
    ...withoutOverlaps({
      urls,
      mentions: (seen & AT_SIGN) === 0 ? NONE : findMentions(normal),
      hashtags: (seen & HASH_SIGN) === 0 ? NONE : findHashtags(normal),
      cashtags: (seen & DOLLAR_SIGN) === 0 ? NONE : findCashtags(normal),
    }),
  };
}

/** The part of `parsePost` that a character counter needs at every keystroke. */
export function weighPost(text: string, limit: number = POST_LIMIT): PostWeight {
  const scan = scanNormalized(text);
  return verdict(scan, linksIn(scan), limit);
}

const NONE: readonly never[] = Object.freeze([]);

function linksIn({ text, seen }: TextScan): readonly UrlRange[] {
  return (seen & FULL_STOP) === 0 ? NONE : findUrls(text);
}

function verdict(scan: TextScan, urls: readonly UrlRange[], limit: number): PostWeight {
  const weighted_length = urls.length === 0 ? scan.weight : weigh(scan, urls);
  const problems = problemsOf(weighted_length, limit, scan.seen);
  return {
    text: scan.text,
    weighted_length,
    limit,
    valid: problems.length === 0,
    problems,
    billable_as: urls.length === 0 ? "post" : "post_with_url",
  };
}

function problemsOf(weight: number, limit: number, seen: number): readonly TextProblem[] {
  const isInvalid = (seen & INVALID) !== 0;
  if (weight > 0 && weight <= limit && !isInvalid) return NONE;
  const problems: TextProblem[] = [];
  if (weight === 0) problems.push("empty");
  if (weight > limit) problems.push("too_long");
  if (isInvalid) problems.push("invalid_characters");
  return problems;
}
