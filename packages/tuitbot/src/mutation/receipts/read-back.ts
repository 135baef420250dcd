import type { CallArgs, OperationId, XClient } from "@toolpact/x-api";
import { listIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import type { Step } from "./journal.ts";
import { requestAt, type WriteRequest } from "./request.ts";
import { isSamePost } from "./same-post.ts";

/** What X shows of a request whose answer was lost. */
export type ReadBack =
  /** It was carried out; `data` is what X answers to such a request. */
  | { readonly found: "done"; readonly data: XObject }
  | { readonly found: "not_done" }
  /** X cannot be asked now. */
  | { readonly found: "no_answer"; readonly why: string }
  /** Nothing shows whether it was carried out; sending it again does no harm. */
  | { readonly found: "repeatable" }
  /** Nothing shows whether it was carried out, and sending it again could do it twice. */
  | { readonly found: "unknowable" };

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
  const request = requestAt(step.method, step.target, step.body_json ?? undefined);
  const rule = RULES[request.operation as OperationId];
  if (rule !== undefined) return rule(request, reading, step.sent_at - CLOCK_DRIFT_MS);
  return step.method === "POST" ? { found: "unknowable" } : { found: "repeatable" };
}

/** How far X's clock and this one may be apart. */
const CLOCK_DRIFT_MS = 120_000;

type Rule = (request: WriteRequest, reading: Reading, since: number) => Promise<ReadBack>;

const RULES: Partial<Readonly<Record<OperationId, Rule>>> = {
  createPosts: ({ body }, reading, since) =>
    search(ownPosts(reading, since), async (post) => {
      const id = textIn(post, "id") ?? "";
      return isSamePost(body, post) && !(await reading.isTaken(`post:${id}`))
        ? { id, text: textIn(post, "text") }
        : undefined;
    }),
  repostPost: ({ body }, reading, since) =>
    search(ownPosts(reading, since), async (post) =>
      listIn(post, "referenced_tweets").some(
        (reference) => isOf(reference, "retweeted") && objectIn(reference).id === body.tweet_id,
      )
        ? { retweeted: true, rest_id: textIn(post, "id") }
        : undefined,
    ),
  deletePosts: async ({ path }, reading) => {
    const answer = await ask(reading, "getPostsById", { path: { id: path.id ?? "" } });
    if (answer === "gone") return { found: "done", data: { deleted: true } };
    return "why" in answer ? { found: "no_answer", ...answer } : { found: "not_done" };
  },
  likePost: mark("liked", ({ body }) => body.tweet_id, listOf("getUsersLikedPosts")),
  unlikePost: noMark("liked", ({ path }) => path.tweet_id, listOf("getUsersLikedPosts")),
  createUsersBookmark: mark("bookmarked", ({ body }) => body.tweet_id, listOf("getUsersBookmarks")),
  deleteUsersBookmark: noMark("bookmarked", ({ path }) => path.tweet_id, listOf("getUsersBookmarks")),
  followUser: mark(
    "following",
    ({ body }) => body.target_user_id,
    connection("following", "follow_request_sent"),
  ),
  unfollowUser: noMark(
    "following",
    ({ path }) => path.target_user_id,
    connection("following", "follow_request_sent"),
  ),
  muteUser: mark("muting", ({ body }) => body.target_user_id, connection("muting")),
  unmuteUser: noMark("muting", ({ path }) => path.target_user_id, connection("muting")),
  followList: mark("following", ({ body }) => body.list_id, listOf("getUsersFollowedLists")),
  pinList: mark("pinned", ({ body }) => body.list_id, listOf("getUsersPinnedLists")),
  // X takes somebody onto a list once, however often it is asked.
  addListsMember: async () => ({ found: "repeatable" }),
  // The same for a rule, which it adds or takes away.
  updateRules: async () => ({ found: "repeatable" }),
  createLists: ({ body }, reading, since) =>
    search(
      pages(reading, "getUsersOwnedLists", {
        path: { id: reading.me },
        query: { max_results: 100, "list.fields": "created_at" },
      }),
      async (list) => {
        const id = textIn(list, "id") ?? "";
        const isIt = list.name === body.name && createdAt(list) >= since;
        return isIt && !(await reading.isTaken(`list:${id}`)) ? { id, name: list.name } : undefined;
      },
    ),
  createDirectMessagesByParticipantId: (request, reading, since) =>
    sentMessage(request.body, reading, since, "getDirectMessagesEventsByParticipantId", {
      participant_id: request.path.participant_id ?? "",
    }),
  createDirectMessagesByConversationId: (request, reading, since) =>
    sentMessage(request.body, reading, since, "getDirectMessagesEventsByConversationId", {
      id: request.path.dm_conversation_id ?? "",
    }),
  createDirectMessagesConversation: ({ body }, reading, since) =>
    sentMessage(objectIn(body, "message"), reading, since, "getDirectMessagesEvents", {}),
};

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

type Stands = (target: string, reading: Reading) => Promise<boolean | { readonly why: string }>;

/** A mark was set if it stands. */
function mark(word: string, targetOf: (request: WriteRequest) => unknown, stands: Stands): Rule {
  return async (request, reading) => {
    const standing = await stands(String(targetOf(request)), reading);
    if (typeof standing === "object") return { found: "no_answer", why: standing.why };
    return standing ? { found: "done", data: { [word]: true } } : { found: "not_done" };
  };
}

/** A mark was taken back if it does not stand. */
function noMark(word: string, targetOf: (request: WriteRequest) => unknown, stands: Stands): Rule {
  return async (request, reading) => {
    const standing = await stands(String(targetOf(request)), reading);
    if (typeof standing === "object") return { found: "no_answer", why: standing.why };
    return standing ? { found: "not_done" } : { found: "done", data: { [word]: false } };
  };
}

/** Marks are listed newest first, and this one is minutes old: the first page has it, or nothing does. */
function listOf(operation: OperationId): Stands {
  return async (target, reading) => {
    const answer = await ask(reading, operation, { path: { id: reading.me }, query: firstPage(operation) });
    if (answer === "gone") return false;
    return "why" in answer ? answer : things(answer.data).some(({ id }) => id === target);
  };
}

function firstPage(operation: OperationId): NonNullable<CallArgs["query"]> {
  // Pinned lists come without pages.
  return operation === "getUsersPinnedLists" ? {} : { max_results: 20 };
}

/** How the signed-in account stands to a person. */
function connection(...words: readonly string[]): Stands {
  return async (target, reading) => {
    const answer = await ask(reading, "getUsersById", {
      path: { id: target },
      query: { "user.fields": "connection_status" },
    });
    if (answer === "gone") return false;
    if ("why" in answer) return answer;
    return listIn(objectIn(answer.data), "connection_status").some((word) => words.includes(String(word)));
  };
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
