import { ok } from "@toolpact/contract";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import type { XClient } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { affordable } from "../guards/budget/bill.ts";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { type Published, recordPublication } from "../publications/record-publications.ts";
import type { Session } from "../storage/store.ts";
import { referenced, wholeText } from "../x/shapes/post.ts";
import { textIn, type XObject } from "../x/shapes/x-object.ts";
import { askX, type FromX } from "../x/toolkit/ask-x.ts";
import { ELSEWHERE } from "./published.ts";

export interface OwnPostsContext extends Session {
  readonly client: XClient;
  readonly config: Pick<Config, "x_api">;
  readonly workflow: { readonly caps: BudgetCaps };
  readonly now: number;
  readonly signal: AbortSignal;
}

/** X's limits for one request. */
export const MAX_OWN_POSTS = 100;
const MIN_OWN_POSTS = 5;

/** Records own posts published without tuitbot, which are then measured. Returns the number of new ones. */
export async function recordOwnPosts(context: OwnPostsContext, limit: number): Promise<FromX<number>> {
  const { store, account, client, config, workflow, now, signal } = context;
  const room = await affordable(
    budgetLedger(context, config.x_api.owns_app),
    workflow.caps,
    now,
    "getUsersPosts",
    { path: { id: account }, query: FIELDS },
    limit,
  );
  const answer = await askX<readonly XObject[]>(client, "getUsersPosts", {
    path: { id: account },
    query: { max_results: Math.max(MIN_OWN_POSTS, room), ...FIELDS },
    signal,
  });
  if (!answer.ok) return answer;
  const posts = answer.value.data.filter(
    // A post that was just published may not be recorded yet.
    (raw) => Date.parse(textIn(raw, "created_at") ?? "") < now - SETTLED_MS,
  );
  const known = await knownIds(context, posts.map(idOf));
  const added = posts.filter((raw) => !known.has(idOf(raw)));
  await store.transaction(async (db) => {
    for (const { receipt, ...published } of publishedIn(added, account))
      await recordPublication(db, { id: receipt, account }, published);
  });
  return ok(added.length);
}

const SETTLED_MS = 10 * MINUTE_MS;

const FIELDS = {
  exclude: ["retweets"],
  "tweet.fields": ["created_at", "conversation_id", "in_reply_to_user_id", "referenced_tweets", "note_tweet"],
};

async function knownIds({ store, account }: Session, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await store.db
    .selectFrom("publications")
    .select("post_id")
    .where("account", "=", account)
    .where("post_id", "in", ids)
    .execute();
  return new Set(rows.map(({ post_id }) => post_id));
}

function idOf(raw: XObject): string {
  return textIn(raw, "id") ?? "";
}

type OwnPost = Published & { readonly receipt: string };

/** A reply to oneself continues a thread if its first post is among them. */
function publishedIn(newestFirst: readonly XObject[], account: string): readonly OwnPost[] {
  const posts = newestFirst.toReversed();
  const ids = new Set(posts.map(idOf));
  const threads = Map.groupBy(
    posts.filter((raw) => continues(raw, account) && ids.has(conversationOf(raw))),
    conversationOf,
  );
  return posts.map((raw): OwnPost => {
    const conversation = conversationOf(raw);
    const parts = threads.get(conversation) ?? [];
    const place = parts.indexOf(raw);
    const answers = referenced(raw, "replied_to");
    const isThread = place !== -1 || (parts.length > 0 && conversation === idOf(raw));
    const isReply = answers !== undefined && !continues(raw, account);
    const isQuote = referenced(raw, "quoted") !== undefined;
    return {
      receipt: `${ELSEWHERE}${isThread ? conversation : idOf(raw)}`,
      postId: idOf(raw),
      kind: isThread ? "thread" : isReply ? "reply" : isQuote ? "quote" : "tweet",
      position: place + 1,
      text: wholeText(raw),
      replyTo: answers ?? null,
      at: Date.parse(textIn(raw, "created_at") ?? ""),
    };
  });
}

function continues(raw: XObject, account: string): boolean {
  return textIn(raw, "in_reply_to_user_id") === account;
}

function conversationOf(raw: XObject): string {
  return textIn(raw, "conversation_id") ?? idOf(raw);
}
