import type { CallArgs, OperationId, XClient } from "@toolpact/x-api";
import { operationRow, type ReadBackRule, type SentRequest } from "../../x/operation-table.ts";
import { listIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import type { Step } from "./receipt.ts";
import { isSamePost } from "./same-post.ts";
import type { ReadBack } from "./settle.ts";
import { requestOf } from "./x-requests.ts";

export interface Reading {
  readonly client: XClient;
  /** Id of the signed-in account. */
  readonly me: string;
  /** Things that other steps are known to have made, such as `post:123`. */
  readonly isTaken: (thing: string) => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** Finds out what became of a request, from what X shows of this account. */
export async function readBack(step: Step, reading: Reading): Promise<ReadBack> {
  const request = requestOf(step);
  const row = operationRow(step.operation);
  if (row === undefined) return { found: step.method === "POST" ? "unknowable" : "repeatable" };
  const rule = row.readBack;
  const since = step.sent_at - CLOCK_DRIFT_MS;
  switch (rule.look) {
    case "own_posts":
      return search(ownPosts(reading, since), (post) =>
        rule.for === "post" ? samePost(request, post, reading) : repostOf(request, post),
      );
    case "post":
      return deletedPost(request, reading);
    case "list":
    case "connection":
      return marked(rule, row.makes?.(request, {}) ?? row.unmakes?.(request), reading);
    case "owned_lists":
      return createdList(request, reading, since);
    case "messages":
      return sentMessage(rule.message(request), reading, since, rule.operation, rule.path(request));
    case "nowhere":
      return { found: rule.isRepeatable ? "repeatable" : "unknowable" };
  }
}

/** How far X's clock and this one may be apart. */
const CLOCK_DRIFT_MS = 120_000;

async function samePost({ body }: SentRequest, post: XObject, reading: Reading) {
  const id = textIn(post, "id") ?? "";
  return isSamePost(body, post) && !(await reading.isTaken(`post:${id}`))
    ? { id, text: textIn(post, "text") }
    : undefined;
}

async function repostOf({ body }: SentRequest, post: XObject) {
  return listIn(post, "referenced_tweets").some(
    (reference) => isOf(reference, "retweeted") && objectIn(reference).id === body.tweet_id,
  )
    ? { retweeted: true, rest_id: textIn(post, "id") }
    : undefined;
}

async function deletedPost({ path }: SentRequest, reading: Reading): Promise<ReadBack> {
  const answer = await ask(reading, "getPostsById", { path: { id: path.id ?? "" } });
  if (answer === "gone") return { found: "done", data: { deleted: true } };
  return "why" in answer ? { found: "no_answer", ...answer } : { found: "not_done" };
}

function createdList({ body }: SentRequest, reading: Reading, since: number): Promise<ReadBack> {
  const lists = pages(reading, "getUsersOwnedLists", {
    path: { id: reading.me },
    query: { max_results: 100, "list.fields": "created_at" },
  });
  return search(lists, async (list) => {
    const id = textIn(list, "id") ?? "";
    const isIt = list.name === body.name && createdAt(list) >= since;
    return isIt && !(await reading.isTaken(`list:${id}`)) ? { id, name: list.name } : undefined;
  });
}

type Page = readonly XObject[] | { readonly why: string };

function ownPosts(reading: Reading, since: number): AsyncIterable<Page> {
  return pages(reading, "getUsersPosts", {
    path: { id: reading.me },
    query: {
      max_results: 100,
      start_time: new Date(since).toISOString(),
      "tweet.fields": "created_at,entities,note_tweet,referenced_tweets,attachments",
    },
  });
}

function sentMessage(
  message: XObject,
  reading: Reading,
  since: number,
  operation: OperationId,
  path: Readonly<Record<string, string>>,
): Promise<ReadBack> {
  const events = pages(
    reading,
    operation,
    {
      path,
      query: {
        max_results: 100,
        event_types: "MessageCreate",
        "dm_event.fields": "created_at,sender_id,text,dm_conversation_id,attachments",
      },
    },
    (event) => createdAt(event) < since,
  );
  return search(events, async (event) => {
    const id = textIn(event, "id") ?? "";
    const isIt =
      event.sender_id === reading.me &&
      createdAt(event) >= since &&
      (textIn(event, "text") ?? "") === (textIn(message, "text") ?? "");
    return isIt && !(await reading.isTaken(`dm:${id}`))
      ? { dm_event_id: id, dm_conversation_id: textIn(event, "dm_conversation_id") ?? "" }
      : undefined;
  });
}

/** The first thing on the pages that is what was looked for. */
async function search(
  things: AsyncIterable<Page>,
  pick: (thing: XObject) => Promise<XObject | undefined>,
): Promise<ReadBack> {
  for await (const page of things) {
    if ("why" in page) return { found: "no_answer", why: page.why };
    for (const thing of page) {
      const data = await pick(thing);
      if (data !== undefined) return { found: "done", data };
    }
  }
  return { found: "not_done" };
}

type MarkRule = Extract<ReadBackRule, { readonly look: "list" | "connection" }>;

/** A mark was set if X shows it, and taken back if X does not. `mark` is a thing such as `like:123`. */
async function marked(rule: MarkRule, mark: string | undefined, reading: Reading): Promise<ReadBack> {
  const target = mark?.split(":").at(-1) ?? "";
  const isShown =
    rule.look === "list" ? await isListed(rule, target, reading) : await isConnected(rule, target, reading);
  if (typeof isShown === "object") return { found: "no_answer", why: isShown.why };
  return isShown === rule.isSet
    ? { found: "done", data: { [rule.flag]: rule.isSet } }
    : { found: "not_done" };
}

/** Marks are listed newest first, and this one is minutes old: the first page has it, or nothing does. */
async function isListed(
  { operation }: Extract<MarkRule, { readonly look: "list" }>,
  target: string,
  reading: Reading,
): Promise<boolean | { readonly why: string }> {
  // Pinned lists come without pages.
  const query = operation === "getUsersPinnedLists" ? {} : { max_results: 20 };
  const answer = await ask(reading, operation, { path: { id: reading.me }, query });
  if (answer === "gone") return false;
  return "why" in answer ? answer : things(answer.data).some(({ id }) => id === target);
}

async function isConnected(
  { statuses }: Extract<MarkRule, { readonly look: "connection" }>,
  target: string,
  reading: Reading,
): Promise<boolean | { readonly why: string }> {
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
  for (let page = 0; page < MOST_PAGES; page++) {
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
  yield { why: "there is too much to look through" };
}

/** Of 100 each. */
const MOST_PAGES = 10;

async function ask(
  { client, signal }: Reading,
  operation: OperationId,
  args: CallArgs,
): Promise<
  "gone" | { readonly why: string } | { readonly data: unknown; readonly next: string | undefined }
> {
  const answer = await client.call<unknown>(operation, { ...args, ...(signal && { signal }) });
  if (answer.ok) return { data: answer.value.data, next: answer.value.pagination?.next_token };
  return answer.failure.kind === "not_found" ? "gone" : { why: answer.failure.message };
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
