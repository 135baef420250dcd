import { type Call, EFFECTS, type JsonObject } from "@toolpact/contract";
import {
  type Action,
  type CallInput,
  isOperationId,
  operations,
  type PriceContext,
  parsePost,
  priceBefore,
} from "@toolpact/x-api";
import { operationRow, type PolicyCategory, type Repeat } from "../x/operation-table.ts";
import { listIn, objectIn, textIn, type XObject } from "../x/shapes/x-object.ts";
import type { PostWish } from "../x/toolkit/write.ts";
import { actionOf, operationsOf } from "../x/x-operations.ts";
import { type Micros, microsOf } from "./budget/money.ts";
import type { PolicyAction } from "./policy/policy-rule.ts";
import { requestAt } from "./receipts/request.ts";

/** What the guards need to know of a call that changes something at X, without carrying it out. */
export interface Mutation {
  readonly repeat: Repeat;
  /** Posts that it would publish. */
  readonly posts: readonly PostWish[];
  /** Requests that X charges for, in order. */
  readonly requests: readonly { readonly operation: string; readonly micros: Micros }[];
  /** What X does not let everyone do. */
  readonly action: Action | undefined;
  readonly policy: Omit<PolicyAction, "isByPerson" | "isSecondReply">;
  /** The post it answers. */
  readonly replyTo: string | undefined;
}

/** Ids of the uploads that a call would publish, in order. */
export function mediaIdsOf(tool: string, input: JsonObject): readonly string[] {
  const raw = RAW[tool];
  const posts =
    raw === undefined ? postsOf(tool, input) : postsOfBody("createPosts", rawRequest(raw, input).body);
  // Messages call them attachments.
  return [...posts.flatMap(({ mediaIds = [] }) => mediaIds), ...texts(input.attachments)];
}

/** Undefined for calls that change nothing at X. */
export function mutationOf({
  tool,
  effect,
  input,
}: Pick<Call, "tool" | "effect" | "input">): Mutation | undefined {
  if (!EFFECTS[effect].mutates || isLocal(tool.name) || input.dry_run === true) return undefined;
  const raw = RAW[tool.name];
  const request = raw === undefined ? undefined : rawRequest(raw, input);
  const operation = request?.operation ?? operationsOf[tool.name]?.find(isWrite);
  const posts = request === undefined ? postsOf(tool.name, input) : postsOfBody(operation, request.body);
  const row = operationRow(operation);
  // A request that X does not list counts as writing.
  const category = row?.category ?? (effect === "delete" ? "delete" : "write");
  const [only] = posts.length === 1 ? posts : [];
  const typed = only === undefined ? typedTool(operation) : postingTool(only);
  // A thread of one post is a post, and a raw request is what its typed tool does.
  const alike = raw === undefined && only === undefined ? undefined : typed;
  return {
    repeat: repeatOf(effect, row?.repeat),
    posts,
    requests:
      posts.length > 0
        ? posts.map((post) => priced("createPosts", { body: bodyOf(post) }))
        : operation === undefined
          ? []
          : [priced(operation, request === undefined ? {} : { body: request.body })],
    action: actionOf[tool.name] ?? (raw === undefined ? undefined : actionOf[typed ?? ""]),
    policy: {
      tools: alike === undefined || alike === tool.name ? [tool.name] : [tool.name, alike],
      categories: categoriesOf(tool.name, tool.category, category, input),
      engagement: engagementOf(only) ?? row?.engagement,
      texts: posts.map(({ text }) => text),
      isReply: only?.replyTo !== undefined,
      isUnlisted: raw !== undefined && operation === undefined,
      mentions: posts.some(
        ({ replyTo, text }) => replyTo === undefined && parsePost(text).mentions.length > 0,
      ),
    },
    replyTo: only?.replyTo,
  };
}

/** The same mutation at the price of a reply to somebody who called on this account. */
export function summoned(mutation: Mutation): Mutation {
  return {
    ...mutation,
    requests: mutation.posts.map((post) =>
      priced("createPosts", { body: bodyOf(post) }, { isSummoned: true }),
    ),
  };
}

/** What X would take for these requests. */
export function costOf(requests: Mutation["requests"]): Micros {
  return requests.reduce((sum, { micros }) => sum + micros, 0);
}

export function isLocal(tool: string): boolean {
  return LOCAL.has(tool);
}

/** Tools that change nothing but this product's own state. */
const LOCAL: ReadonlySet<string> = new Set([
  "approve_item",
  "approve_all",
  "reject_item",
  "compose_tweet",
  "edit_draft",
  "schedule_draft",
  "publish_draft",
  "discard_draft",
  "propose_and_queue_replies",
]);

/** Requests in X's own terms, and their method. */
const RAW: Readonly<Record<string, string>> = { x_post: "POST", x_put: "PUT", x_delete: "DELETE" };

function rawRequest(method: string, input: JsonObject) {
  const { path, body } = input;
  return requestAt(method, String(path), typeof body === "string" ? body : undefined);
}

function isWrite(operation: string): boolean {
  return isOperationId(operation) && operations[operation].method !== "GET";
}

function postsOf(tool: string, input: JsonObject): readonly PostWish[] {
  const given = input as XObject;
  const one = { text: textIn(given, "text") ?? "", mediaIds: texts(given.media_ids) };
  switch (tool) {
    case "x_post_tweet":
      return [one];
    case "x_reply_to_tweet":
      return [{ ...one, replyTo: textIn(given, "in_reply_to_id") }];
    case "x_quote_tweet":
      return [{ ...one, quoteOf: textIn(given, "quoted_tweet_id") }];
    case "x_post_thread":
      return texts(given.tweets).map((text, index) => ({
        text,
        mediaIds: texts(listIn(given, "media_ids")[index]),
      }));
    default:
      return [];
  }
}

function postsOfBody(operation: string | undefined, body: XObject): readonly PostWish[] {
  if (operation !== "createPosts") return [];
  return [
    {
      text: textIn(body, "text") ?? "",
      mediaIds: texts(objectIn(body, "media").media_ids),
      replyTo: textIn(objectIn(body, "reply"), "in_reply_to_tweet_id"),
      quoteOf: textIn(body, "quote_tweet_id"),
    },
  ];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function bodyOf({ text, replyTo }: PostWish): NonNullable<CallInput["body"]> {
  return { text, ...(replyTo !== undefined && { reply: { in_reply_to_tweet_id: replyTo } }) };
}

function priced(
  operation: string,
  input: CallInput,
  context: PriceContext = {},
): { operation: string; micros: Micros } {
  const usd = isOperationId(operation) ? priceBefore(operation, input, context).usd : 0;
  return { operation, micros: microsOf(usd) };
}

/** Only what adds something, or sets a mark, can be done twice. */
function repeatOf(effect: Call["effect"], repeat: Repeat | undefined): Repeat {
  if (effect === "mark") return repeat ?? "until_undone";
  return effect === "create" ? (repeat ?? "day") : "free";
}

function categoriesOf(
  tool: string,
  toolCategory: string,
  category: PolicyCategory,
  input: JsonObject,
): readonly PolicyCategory[] {
  if (tool === "x_post_thread") return ["thread"];
  if (toolCategory === "ads") return ["ads"];
  if (RAW[tool] === undefined) return [category];
  const isAds = input.host === "ads-api.x.com" || /^\/1\d\//.test(String(input.path));
  return isAds ? ["universal_request", "ads"] : ["universal_request", category];
}

/** The typed tool for an operation, so that rules about it hold for a raw request too. */
function typedTool(operation: string | undefined): string | undefined {
  if (operation === undefined) return undefined;
  return Object.keys(operationsOf).find((tool) => operationsOf[tool]?.some((id) => id === operation));
}

function postingTool({ replyTo, quoteOf }: PostWish): string {
  if (replyTo !== undefined) return "x_reply_to_tweet";
  return quoteOf === undefined ? "x_post_tweet" : "x_quote_tweet";
}

function engagementOf(post: PostWish | undefined): PolicyAction["engagement"] {
  if (post?.replyTo !== undefined) return "reply";
  return post?.quoteOf === undefined ? undefined : "quote";
}
