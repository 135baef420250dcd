import { isJsonObject } from "@toolpact/outcome";
import type { XAnswer } from "./answer.ts";
import type { CallArgs } from "./client.ts";
import { type Operation, type OperationId, operations, type Param, prices } from "./operations/index.ts";
import { parsePost } from "./text/index.ts";

/** Not in the request. */
export interface PriceContext {
  /** X charges app owners less for their own resources. */
  readonly appOwnerId?: string;
  /** The author mentioned or quoted this account. */
  readonly isSummoned?: boolean;
  /** X charges a resource (`posts_read:123`) once per UTC day. */
  readonly billedToday?: (resource: string) => boolean;
}

export type PricedCall = Pick<CallArgs, "path" | "query" | "body" | "as">;

export interface Price {
  readonly usd: number;
  /** For `unpublished`, `usd` is 0. */
  readonly basis: "request" | "resources" | "unpublished";
  readonly priceClass: string | undefined;
  readonly unitUsd: number;
}

export interface PriceBefore extends Price {
  /** At most, without expansions. */
  readonly resources: number;
}

export interface PriceAfter extends Price {
  /** Charged until the end of the UTC day. */
  readonly billed: readonly string[];
}

/**
 * An upper estimate of a call's cost, without sending it. Some expansions have no limit at X.
 *
 * @example
 * priceBefore("getUsersFollowers", { path: { id: "12" }, query: { max_results: 1000 } }).usd; // 10
 */
export function priceBefore(id: OperationId, input: PricedCall, context: PriceContext = {}): PriceBefore {
  const operation = operations[id];
  const price = unitOf(operation, input, context);
  if (price.basis !== "resources") return { ...price, usd: price.unitUsd, resources: 0 };
  const resources = mostResources(operation, input);
  const expanded = listed(input.query?.expansions).reduce<number>((usd, name) => usd + expansionUsd(name), 0);
  return { ...price, usd: dollars(resources * (price.unitUsd + expanded)), resources };
}

/** From the delivered resources, because X does not report it. */
export function priceAfter(
  id: OperationId,
  input: PricedCall,
  answer: Pick<XAnswer, "data" | "includes">,
  context: PriceContext = {},
): PriceAfter {
  const price = unitOf(operations[id], input, context);
  if (price.basis !== "resources") return { ...price, usd: price.unitUsd, billed: [] };
  const billed = new Set<string>();
  let usd = 0;
  const charge = (priceClass: string, items: readonly unknown[], unitUsd: number) => {
    for (const item of items) {
      if (isJsonObject(item) && typeof item.id === "string") {
        const resource = `${priceClass}:${item.id}`;
        if (billed.has(resource) || context.billedToday?.(resource)) continue;
        billed.add(resource);
      }
      usd += unitUsd;
    }
  };
  charge(price.priceClass ?? "", listed(answer.data), price.unitUsd);
  for (const [kind, items] of Object.entries(answer.includes)) {
    const priceClass = includedPrices.get(kind);
    if (priceClass !== undefined) charge(priceClass, items, prices.perResource[priceClass] ?? 0);
  }
  return { ...price, usd: dollars(usd), billed: [...billed] };
}

function unitOf(operation: Operation, input: PricedCall, context: PriceContext): Omit<Price, "usd"> {
  const priceClass = operation.id === "createPosts" ? postClass(input, context) : operation.price;
  if (priceClass === undefined) return { basis: "unpublished", priceClass, unitUsd: 0 };
  const perRequest = prices.perRequest[priceClass];
  if (perRequest !== undefined) return { basis: "request", priceClass, unitUsd: perRequest };
  // With an app token, owners get no discount.
  const isOwner = context.appOwnerId !== undefined && input.as !== "app";
  const isOwned = operation.ownedRead && isOwner && input.path?.id === context.appOwnerId;
  return {
    basis: "resources",
    priceClass,
    unitUsd: isOwned ? prices.ownedRead : (prices.perResource[priceClass] ?? 0),
  };
}

/** A link always has the higher price. */
function postClass({ body }: PricedCall, context: PriceContext): string {
  if (typeof body?.text === "string" && parsePost(body.text).billable_as === "post_with_url")
    return "post_create_with_url";
  return context.isSummoned && body?.reply !== undefined ? "post_create_summoned" : "post_create";
}

function mostResources(operation: Operation, input: PricedCall): number {
  if (operation.answer.data !== "list") return 1;
  const size = operation.params.find((param) => param.name === "max_results");
  if (size !== undefined) {
    const count = Number(input.query?.max_results ?? size.default ?? Math.min(size.max ?? 100, 100));
    // X rejects an invalid count; until then it must not look free.
    return count >= 0 ? count : (size.max ?? 100);
  }
  const asked = operation.params.find((param) => param.required && isLookUp(param));
  return asked ? listed(input.query?.[asked.name]).length : 100;
}

/** At most one resource per entry of the list. */
function isLookUp(param: Param): boolean {
  return param.type === "array" && param.maxItems !== undefined;
}

function expansionUsd(name: unknown): number {
  const expansion = expansionPrices.get(String(name));
  return expansion === undefined ? 0 : (prices.perResource[expansion.priceClass] ?? 0) * expansion.each;
}

function listed(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.split(",") : [value];
}

/** Binary fractions drift; X's prices have three decimals. */
export function dollars(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

/** The maximum that each value of `expansions` adds to one resource. */
export const expansionPrices: ReadonlyMap<string, ExpansionPrice> = new Map(
  Object.entries<ExpansionPrice>({
    ...priced("user_read", 1, [
      "author_id",
      "in_reply_to_user_id",
      "owner_id",
      "creator_id",
      "sender_id",
      "affiliation",
      "username",
      "liked_tweet_author_id",
    ]),
    // X sets no limit; ten is more than usual.
    ...priced("user_read", 10, [
      "entities.mentions.username",
      "entities.note.mentions.username",
      "host_ids",
      "speaker_ids",
      "invited_user_ids",
      "participant_ids",
      "member_ids",
      "admin_ids",
    ]),
    ...priced("user_read", 2, ["referenced_tweets.id.author_id"]),
    ...priced("posts_read", 2, ["referenced_posts", "referenced_tweets.id"]),
    ...priced("posts_read", 1, [
      "attachments.media_source_tweet",
      "pinned_post_id",
      "pinned_tweet_id",
      "most_recent_post_id",
      "most_recent_tweet_id",
      "liked_tweet_id",
    ]),
    ...priced("posts_read", 5, ["edit_history_post_ids", "edit_history_tweet_ids"]),
  }),
);

export interface ExpansionPrice {
  readonly priceClass: string;
  /** Per resource, at most. */
  readonly each: number;
}

function priced(
  priceClass: string,
  each: number,
  names: readonly string[],
): Readonly<Record<string, ExpansionPrice>> {
  return Object.fromEntries(names.map((name) => [name, { priceClass, each }]));
}

/** Media, polls, places and topics are free. */
export const includedPrices: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    users: "user_read",
    tweets: "posts_read",
    posts: "posts_read",
    lists: "list_read",
    spaces: "space_read",
    communities: "community_read",
  }),
);
