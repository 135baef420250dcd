import { day, hour, minute } from "../clock.ts";
import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { badValue } from "../http/problems.ts";
import { iso, type JsonDraft, type JsonObject } from "../json.ts";
import { placeOf, writeToken } from "../render/page.ts";
import { canRead } from "../rules/visibility.ts";
import { parseQuery, type Query } from "../search/query.ts";
import { firstIdAt, timeOfId } from "../snowflake.ts";
import type { Handlers, OperationContext } from "./context.ts";
import { type IdRange, lowest, searchRangeOf } from "./id-range.ts";
import { pageOfPosts } from "./pages.ts";

export const postSearch = {
  searchPostsRecent: (input, context) => search(input, context, "recent"),
  searchPostsAll: (input, context) => search(input, context, "all"),
  getPostsCountsRecent: (input, context) => counts(input, context, "recent"),
  getPostsCountsAll: (input, context) => counts(input, context, "all"),
} satisfies Handlers;

type Reach = "recent" | "all";

function search(input: Input, context: OperationContext, reach: Reach): Answer {
  const read = readSearch(input, context, reach);
  if ("refusal" in read) return read.refusal;
  const { query, range } = read;
  const { world } = context;
  const scope = `search ${reach} ${input.text("query")}`;
  return pageOfPosts(query.candidates(world), scope, input, context, {
    size: 10,
    range,
    accept: (post) => query.matches(post, world),
    ends: "with ends",
  });
}

/** The token leads to the previous month. */
function counts(input: Input, context: OperationContext, reach: Reach): Answer {
  const read = readSearch(input, context, reach);
  if ("refusal" in read) return read.refusal;
  const { query, range } = read;
  const scope = `counts ${reach} ${input.text("granularity")} ${input.text("query")}`;
  const place = placeOf(input, scope);
  if (place !== undefined && "refusal" in place) return place.refusal;
  const step = steps[input.text("granularity")] ?? hour;
  const last = lowest(place?.key, range.until);
  const until = last === undefined ? context.now : timeOfId(last);
  const oldest = range.from === undefined ? context.now - 30 * day : timeOfId(range.from);
  const from = Math.max(oldest, Math.ceil((until - countedAtOnce) / step) * step);

  const buckets = new Map<number, number>();
  for (let start = Math.floor(from / step) * step; start < until; start += step) buckets.set(start, 0);
  const { world, viewer } = context;
  for (const { item, key } of query.candidates(world).older(last)) {
    if (key < firstIdAt(from) || (range.from !== undefined && key < range.from)) break;
    const post = world.posts.get(item);
    if (
      post === undefined ||
      !canRead(world, viewer, world.people.get(post.authorId)) ||
      !query.matches(post, world)
    )
      continue;
    const bucket = Math.floor(post.at / step) * step;
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
  }
  const data = [...buckets].map(
    ([start, count]): JsonObject => ({
      start: iso(Math.max(start, from)),
      end: iso(Math.min(start + step, until)),
      post_count: count,
    }),
  );
  const meta: JsonDraft = { total_post_count: [...buckets.values()].reduce((sum, count) => sum + count, 0) };
  if (oldest < from) meta.next_token = writeToken({ direction: "older", key: firstIdAt(from) }, scope);
  return { status: 200, body: { data, meta } };
}

const countedAtOnce = 31 * day;

function readSearch(
  input: Input,
  context: OperationContext,
  reach: Reach,
): { query: Query; range: IdRange } | { refusal: Answer } {
  const text = input.text("query");
  const limit = maxQueryLength[context.plan][reach];
  if (text.length > limit) {
    const message = `Invalid 'query': the query is ${text.length} characters long, the limit of your access level is ${limit}.`;
    return { refusal: badValue("query", text, message) };
  }
  const parsed = parseQuery(text);
  if ("complaint" in parsed) {
    return {
      refusal: badValue("query", text, `There were errors processing your request: ${parsed.complaint}`),
    };
  }
  const range = searchRangeOf(input, context.now, reach);
  return "refusal" in range ? range : { query: parsed.query, range };
}

const maxQueryLength = {
  self_serve: { recent: 512, all: 1_024 },
  enterprise: { recent: 4_096, all: 4_096 },
} as const;

const steps: Readonly<Record<string, number>> = { minute, hour, day };
