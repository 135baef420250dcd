import { type Call, EFFECTS, type Json, type JsonObject } from "@toolpact/contract";
import { type Micros, microsOf } from "@toolpact/contract/internal/money";
import {
  type Action,
  type CallInput,
  isOperationId,
  type PriceContext,
  parsePost,
  priceBefore,
} from "@toolpact/x-api";
import { type Engagement, operationRow, type Repeat } from "../../x/operation-table.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import type { PostRequest } from "../../x/toolkit/write.ts";
import { POST_TOOL, type PolicyAction } from "../policy/decide.ts";
import { identityOf } from "../receipts/receipt.ts";
import {
  type Account,
  type Annotations,
  type CallContext,
  costOf,
  type GivenContext,
  type MutationPlan,
  type PlannedMutation,
  type Rollback,
  type Surcharge,
} from "./call-context.ts";
import { type CallPlan, type ToolFacts, type TuitbotTool, type Undo, writeOperation } from "./tool-facts.ts";

export interface Mutation extends MutationPlan {
  readonly posts: readonly PostRequest[];
  readonly action: Action | undefined;
  readonly policy: Omit<PolicyAction, "isByPerson" | "isSecondReply" | "mentions">;
  /** Mentioned or tagged, by name or id. */
  readonly mentioned: readonly string[];
  readonly replyTo: string | undefined;
}

/** Enough for its plan. */
export type PlannedCall = Pick<Call<ToolFacts, CallPlan>, "tool" | "effect" | "input" | "plan">;

/** Undefined for reads. */
export function mutationOf(call: PlannedCall): Mutation | undefined {
  const { tool, effect, input } = call;
  const { facts } = tool;
  const plan = call.plan() ?? {};
  if (!EFFECTS[effect].mutates || facts.isLocal || plan.isDryRun) return undefined;
  const { request, posts = [], sameAs } = plan;
  const operation = request === undefined ? writeOperation(facts) : request.operation;
  const row = operationRow(operation);
  const [only] = posts.length === 1 ? posts : [];
  const texts = posts.map(({ text }) => text);
  const published = posts.length > 0 ? posts.length : Number(row?.publishes === "post");
  const requests =
    posts.length > 0
      ? posts.map((post) => priced("createPosts", { body: bodyOf(post) }))
      : operation === undefined
        ? []
        : [priced(plan.pays ?? operation, { body: request?.body ?? {} })];
  return {
    repeat: repeatOf(effect, row?.repeat),
    posts,
    requests,
    expectedSteps: Math.max(1, posts.length),
    surcharge: linkSurcharge(texts, costOf(requests)),
    rollback: (result) => rollbackOf(tool, input, result),
    action: engagementOf(only) ?? facts.action ?? row?.action,
    policy: {
      tools: sameAs === undefined ? [tool.name] : [tool.name, sameAs],
      includes: published > 0 ? [POST_TOOL] : [],
      categories: [
        ...(request === undefined ? [] : ["universal_request" as const]),
        request?.isAds
          ? "ads"
          : // A request that X does not list counts as writing.
            (facts.policyCategory ?? row?.category ?? (effect === "delete" ? "delete" : "write")),
      ],
      engagement: engagementOf(only) ?? row?.engagement,
      posts: published,
      texts,
      isReply: only?.replyTo !== undefined,
      isUnlisted: request !== undefined && operation === undefined,
      isPrivate: row?.isPrivate === true,
    },
    mentioned: posts.flatMap(({ text, taggedIds = [] }) => [
      ...parsePost(text).mentions.map(({ handle }) => handle.toLowerCase()),
      ...taggedIds,
    ]),
    replyTo: only?.replyTo,
  };
}

/** Undefined without links. */
export function linkSurcharge(texts: readonly string[], micros: Micros): Surcharge | undefined {
  const links = texts.flatMap((text) => {
    const { billable_as, urls } = parsePost(text);
    return billable_as === "post_with_url" ? urls.map(({ url }) => url) : [];
  });
  return links.length === 0 ? undefined : { links, micros, plainMicros: PLAIN_POST * texts.length };
}

/** Without a summons. */
export function postsPrice(texts: readonly string[]): Micros {
  return costOf(texts.map((text) => priced("createPosts", { body: { text } })));
}

const PLAIN_POST: Micros = microsOf(priceBefore("createPosts", { body: { text: "" } }).usd);

/** A reply to a summons costs less. */
export function summoned(mutation: Mutation): Mutation {
  return {
    ...mutation,
    requests: mutation.posts.map((post) =>
      priced("createPosts", { body: bodyOf(post) }, { isSummoned: true }),
    ),
  };
}

function bodyOf({ text, replyTo }: PostRequest): NonNullable<CallInput["body"]> {
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

/** Only additions and marks can be done twice. */
function repeatOf(effect: Call["effect"], repeat: Repeat | undefined): Repeat {
  if (effect === "mark") return repeat ?? "until_undone";
  return effect === "create" || effect === "send" ? (repeat ?? "day") : "free";
}

/** X and our limits use the same names. */
function engagementOf(post: PostRequest | undefined): Extract<Engagement, "reply" | "quote"> | undefined {
  if (post?.replyTo !== undefined) return "reply";
  return post?.quoteOf === undefined ? undefined : "quote";
}

export function rollbackOf({ facts }: TuitbotTool, input: JsonObject, result: Json): Rollback {
  const row = operationRow(writeOperation(facts));
  if (row !== undefined && typeof row.undo !== "string") return { reversible: false, note: row.undo.because };
  const { undoTool, undo = idsOf } = facts;
  // A tool's answer is JSON.
  const found = undoTool === undefined ? undefined : undo(input, objectIn(result) as JsonObject);
  if (undoTool === undefined || found === undefined)
    return { reversible: false, note: "No tool undoes this." };
  return { reversible: true, undo_tool: undoTool, ...found };
}

function idsOf(input: JsonObject): Undo {
  const ids = Object.entries(input).filter(
    ([name, value]) => /(^|_)id$/.test(name) && typeof value === "string",
  );
  return { params: Object.fromEntries(ids) };
}

export function planMutation(
  call: Call<ToolFacts, CallPlan, Annotations, { readonly account: Account } & GivenContext>,
): PlannedMutation<Mutation> | undefined {
  const { account, release } = call.context;
  const mutation = mutationOf(call);
  if (mutation === undefined) return undefined;
  const identity = identityOf(account.account, call.tool.name, call.input);
  const isReleased = release?.tool === call.tool.name && release.argsDigest === identity.argsDigest;
  return {
    mutation,
    identity,
    release: isReleased ? release : undefined,
    record: {
      decision: "none",
      ruleId: undefined,
      approvalId: isReleased ? release.approvalId : undefined,
      receiptId: undefined,
      estimated: costOf(mutation.requests),
      paid: undefined,
    },
  };
}

export type MutationCall = Call<ToolFacts, CallPlan, Annotations, MutationContext>;

export interface MutationContext extends Pick<CallContext, "agent" | "isOwnCall" | "release" | "ledger"> {
  readonly account: Account;
}
