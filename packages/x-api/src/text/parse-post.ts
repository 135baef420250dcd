import {
  type Entities,
  findCashtags,
  findHashtags,
  findMentions,
  type Range,
  type UrlRange,
} from "./entities.ts";
import {
  AT_SIGN,
  DOLLAR_SIGN,
  FULL_STOP,
  HASH_SIGN,
  INVALID,
  isJointAt,
  JOINT,
  scan,
  scanNormalized,
  type TextScan,
  WIDE,
} from "./scan.ts";
import { unitsOf } from "./units.ts";
import { findUrls } from "./urls.ts";

/** Whether X accepts a text, and its price class. */
export interface PostWeight {
  /** In normal form C, as X stores it. */
  readonly text: string;
  readonly weighted_length: number;
  readonly limit: number;
  readonly valid: boolean;
  readonly problems: readonly TextProblem[];
  /** X charges many times more for a post with a link. */
  readonly billable_as: "post" | "post_with_url";
}

/** A post's text with entities. Indices refer to `text`. */
export interface PostText extends PostWeight, Entities {}

export type TextProblem = "empty" | "too_long" | "invalid_characters";

/** Without a paid subscription. */
export const POST_LIMIT = 280;

/**
 * Parses a text by X's published rules.
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

/** For every keystroke of a character counter. */
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

const URL_WEIGHT = 23;

/** A link counts 23 and an emoji two. */
function weigh({ text, weight, seen }: TextScan, urls: readonly UrlRange[]): number {
  let sum = weight;
  for (const { start, url } of urls) {
    const end = start + url.length;
    if ((seen & JOINT) !== 0 && isJointAt(unitsOf(text), end)) return weighApart(text, urls);
    sum += URL_WEIGHT - ((seen & WIDE) === 0 ? url.length : scan(text, start, end).weight);
  }
  return sum;
}

/** A link can take half a pair that would be one emoji. */
function weighApart(text: string, urls: readonly UrlRange[]): number {
  let weight = 0;
  let at = 0;
  for (const { start, url } of urls) {
    if (start < at) continue;
    weight += scan(text, at, start).weight + URL_WEIGHT;
    at = start + url.length;
  }
  return weight + scan(text, at, text.length).weight;
}

/** Keeps the entity that starts first. Other kinds do not overlap. */
function withoutOverlaps(entities: Entities): Entities {
  const { urls, mentions, hashtags, cashtags } = entities;
  if (!overlap(urls, mentions) && !overlap(urls, hashtags) && !overlap(urls, cashtags)) return entities;
  const hidden = new Set<Range>();
  let end = 0;
  for (const entity of [...urls, ...mentions, ...hashtags, ...cashtags].sort((a, b) => a.start - b.start)) {
    if (entity.start < end) hidden.add(entity);
    else end = entity.end;
  }
  const stays = (entity: Range): boolean => !hidden.has(entity);
  return {
    urls: urls.filter(stays),
    mentions: mentions.filter(stays),
    hashtags: hashtags.filter(stays),
    cashtags: cashtags.filter(stays),
  };
}

/** Both are sorted and free of overlaps. */
function overlap(urls: readonly Range[], others: readonly Range[]): boolean {
  if (urls.length === 0 || others.length === 0) return false;
  let at = 0;
  for (const url of urls) {
    while ((others[at]?.end ?? Number.POSITIVE_INFINITY) <= url.start) at++;
    if ((others[at]?.start ?? Number.POSITIVE_INFINITY) < url.end) return true;
  }
  return false;
}
