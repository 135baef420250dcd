import type { Failure } from "@toolpact/contract";
import type { ReadBack, Step } from "@toolpact/contract/internal/guards";
import type { CallArgs, OperationId, ProviderError, XClient } from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import { operationRow, type ReadBackRule, type SentRequest } from "../../x/operation-table.ts";
import { listIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import { xFailed } from "../../x/x-errors.ts";
import { isSamePost } from "./same-post.ts";
import { requestOf } from "./x-requests.ts";

export interface Reading {
  readonly client: XClient;
  /** The signed-in account's id. */
  readonly me: string;
  /** Made by another step, such as `post:123`. */
  readonly isTaken: (thing: string) => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** From what X shows of this account. */
export async function readBack(step: Step, reading: Reading): Promise<ReadBack> {
  const request = requestOf(step);
  const row = operationRow(step.operation);
  if (row === undefined) return { found: step.method === "POST" ? "unknowable" : "repeatable" };
  const rule = row.readBack;
  switch (rule.look) {
    case "own_posts":
      return rule.for === "post"
        ? search(ownPosts(reading, step), step, (post, { body }) => isSamePost(body, post), {
            isFree: async (post) => !(await reading.isTaken(`post:${post.id}`)),
            answer: (post) => ({ id: textIn(post, "id"), text: textIn(post, "text") }),
          })
        : search(ownPosts(reading, step), step, (post, { body }) => isRepostOf(body, post), {
            answer: (post) => ({ retweeted: true, rest_id: textIn(post, "id") }),
          });
    case "post":
      return deletedPost(request, reading);
    case "list":
    case "connection":
      return marked(rule, row.makes?.(request, {}) ?? row.unmakes?.(request), reading);
    case "owned_lists":
      return createdList(step, reading);
    case "messages":
      return sentMessage(rule, step, reading);
    case "nowhere":
      return { found: rule.isRepeatable ? "repeatable" : "unknowable" };
  }
}

function isRepostOf(body: XObject, post: XObject): boolean {
  return listIn(post, "referenced_tweets").some(
    (reference) => isOf(reference, "retweeted") && objectIn(reference).id === body.tweet_id,
  );
}

async function deletedPost({ path }: SentRequest, reading: Reading): Promise<ReadBack> {
  const answer = await ask(reading, "getPostsById", { path: { id: path.id ?? "" } });
  if (answer === "gone") return done({ deleted: true });
  return "why" in answer ? answer : { found: "not_done" };
}

function createdList(step: Step, reading: Reading): Promise<ReadBack> {
  const lists = pages(reading, "getUsersOwnedLists", {
    path: { id: reading.me },
    query: { max_results: 100, "list.fields": "created_at" },
  });
  return search(lists, step, (list, { body }) => list.name === body.name, {
    isFree: async (list) => !(await reading.isTaken(`list:${list.id}`)),
    answer: (list) => ({ id: textIn(list, "id"), name: list.name }),
  });
}

type Page = readonly XObject[] | NoAnswer;
type NoAnswer = Extract<ReadBack, { readonly found: "no_answer" }>;

function ownPosts(reading: Reading, { effect_from }: Step): AsyncIterable<Page> {
  return pages(reading, "getUsersPosts", {
    path: { id: reading.me },
    query: {
      max_results: 100,
      start_time: new Date(effect_from).toISOString(),
      "tweet.fields": "created_at,entities,note_tweet,referenced_tweets,attachments",
    },
  });
}

type MessageRule = Extract<ReadBackRule, { readonly look: "messages" }>;

function sentMessage({ operation, path }: MessageRule, step: Step, reading: Reading): Promise<ReadBack> {
  const events = pages(
    reading,
    operation,
    {
      path: path(requestOf(step)),
      query: {
        max_results: 100,
        event_types: "MessageCreate",
        "dm_event.fields": "created_at,sender_id,text,dm_conversation_id,attachments",
      },
    },
    (event) => createdAt(event) < step.effect_from,
  );
  const isIt = (event: XObject, request: SentRequest, rule: ReadBackRule) =>
    rule.look === "messages" &&
    event.sender_id === reading.me &&
    (textIn(event, "text") ?? "") === (textIn(rule.message(request), "text") ?? "");
  return search(events, step, isIt, {
    isFree: async (event) => !(await reading.isTaken(`dm:${event.id}`)),
    answer: (event) => ({
      dm_event_id: textIn(event, "id"),
      dm_conversation_id: textIn(event, "dm_conversation_id") ?? "",
    }),
  });
}

interface Candidates {
  /** Undefined for things that several requests may make. */
  readonly isFree?: (thing: XObject) => Promise<boolean>;
  readonly answer: (thing: XObject) => XObject;
}

/** Since the request was sent. */
async function search(
  things: AsyncIterable<Page>,
  step: Step,
  isIt: (thing: XObject, request: SentRequest, rule: ReadBackRule) => boolean,
  { isFree, answer }: Candidates,
): Promise<ReadBack> {
  const canBeOf = (thing: XObject, of: Step): boolean => {
    const row = operationRow(of.operation);
    const isInTime = createdAt(thing) >= of.effect_from;
    return row !== undefined && isInTime && isIt(thing, requestOf(of), row.readBack);
  };
  const found: XObject[] = [];
  for await (const page of things) {
    if ("why" in page) return page;
    for (const thing of page)
      if (canBeOf(thing, step) && ((await isFree?.(thing)) ?? true)) found.push(thing);
  }
  const [first, second] = found;
  if (first === undefined) return { found: "not_done" };
  if (isFree === undefined) return done(answer(first));
  if (second !== undefined) return { found: "several" };
  return { ...done(answer(first)), fits: (other) => canBeOf(first, other) };
}

/** As X answers an executed request. */
function done(data: object) {
  return { found: "done", answer: { data } } as const;
}

type MarkRule = Extract<ReadBackRule, { readonly look: "list" | "connection" }>;

/** Set if X shows it, undone if not. `mark` is such as `like:123`. */
async function marked(rule: MarkRule, mark: string | undefined, reading: Reading): Promise<ReadBack> {
  const target = mark?.split(":").at(-1) ?? "";
  const isShown =
    rule.look === "list" ? await isListed(rule, target, reading) : await isConnected(rule, target, reading);
  if (isShown === undefined) return { found: "repeatable" };
  if (typeof isShown === "object") return isShown;
  return isShown === rule.isSet ? done({ [rule.flag]: rule.isSet }) : { found: "not_done" };
}

/**
 * Newest first: a new mark is on page one. Undefined for an old one, because undoing again is cheaper than
 * all pages.
 */
async function isListed(
  { operation, isSet }: Extract<MarkRule, { readonly look: "list" }>,
  target: string,
  reading: Reading,
): Promise<boolean | undefined | NoAnswer> {
  // Pinned lists have no pages.
  const query = operation === "getUsersPinnedLists" ? {} : { max_results: 20 };
  const answer = await ask(reading, operation, { path: { id: reading.me }, query });
  if (answer === "gone") return false;
  if ("why" in answer) return answer;
  if (things(answer.data).some(({ id }) => id === target)) return true;
  return isSet || answer.next === undefined ? false : undefined;
}

async function isConnected(
  { statuses }: Extract<MarkRule, { readonly look: "connection" }>,
  target: string,
  reading: Reading,
): Promise<boolean | NoAnswer> {
  const answer = await ask(reading, "getUsersById", {
    path: { id: target },
    query: { "user.fields": "connection_status" },
  });
  if (answer === "gone") return false;
  if ("why" in answer) return answer;
  return listIn(objectIn(answer.data), "connection_status").some((status) =>
    statuses.includes(String(status)),
  );
}

async function* pages(
  reading: Reading,
  operation: OperationId,
  args: CallArgs,
  isTooOld: (thing: XObject) => boolean = () => false,
): AsyncIterable<Page> {
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...args.query, ...(token !== undefined && { pagination_token: token }) };
    const answer = await ask(reading, operation, { ...args, query });
    if (answer === "gone") return;
    if ("why" in answer) {
      yield answer;
      return;
    }
    const found = things(answer.data);
    yield found;
    token = answer.next;
    if (token === undefined || found.some(isTooOld)) return;
  }
  yield { found: "no_answer", why: "there is too much to look through" };
}

/** With 100 entries each. */
const MAX_PAGES = 10;

async function ask(
  { client, signal }: Reading,
  operation: OperationId,
  args: CallArgs,
): Promise<"gone" | NoAnswer | { readonly data: unknown; readonly next: string | undefined }> {
  const answer = await client.call<unknown>(operation, { ...args, ...(signal && { signal }) });
  if (answer.ok) return { data: answer.value.data, next: answer.value.pagination?.next_token };
  return answer.failure.kind === "not_found" ? "gone" : noAnswer(answer.failure);
}

/** Marked if a user must act first, such as by signing in. */
function noAnswer(error: ProviderError): NoAnswer {
  const { failure } = xFailed(error, "read");
  return {
    found: "no_answer",
    why: error.message,
    retryAt: error.kind === "rate_limited" ? error.resetAt : undefined,
    blockedBy: errors.rows[failure.code].retryable ? undefined : blocked(failure),
  };
}

/** The read is the server's own, so the agent cannot change its arguments. */
function blocked(failure: Failure): Failure {
  if (failure.fixBy !== "agent") return failure;
  return {
    code: "x_forbidden",
    reason: "unspecified",
    message: failure.message,
    suggestedFix: "Run `tuitbot doctor`: X does not show this account's own data.",
    fixBy: "operator",
    ...(failure.details !== undefined && { details: failure.details }),
  };
}

function things(data: unknown): readonly XObject[] {
  return Array.isArray(data) ? data.map((one) => objectIn(one)) : [];
}

function isOf(reference: unknown, type: string): boolean {
  return objectIn(reference).type === type;
}

function createdAt(thing: XObject): number {
  return Date.parse(textIn(thing, "created_at") ?? "") || 0;
}
