import { failed, type Outcome, ok } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import type { ProviderError, XAnswer, XClient } from "@toolpact/x-api";
import * as z from "zod";
import { peopleOf, shortUser } from "../../x/shapes/people.ts";
import { post, referenced, shortPost } from "../../x/shapes/post.ts";
import { listIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";
import type { BoundContext } from "../call/call-context.ts";
import { mutationOf, type PlannedCall } from "../call/mutation.ts";
import { writeOperation } from "../call/tool-facts.ts";

/** As X showed them when the call was queued. Texts are untrusted. */
export const approvalContext = z.object({
  account: z.string().nullable().describe("@name of the account that would do it; null where unknown"),
  role: z.enum(["answers", "quotes", "about"]).nullable().describe("What the call has to do with `post`"),
  post: post.nullable().describe("The post that is answered, quoted, liked, deleted and so on"),
  thread: z.array(post).describe("Posts above an answered post, the first one first"),
  people: z
    .array(
      z.object({ id: z.string().nullable(), username: z.string().nullable(), name: z.string().nullable() }),
    )
    .describe("Who gets the message, the follow and so on"),
  unknown: z.array(z.string()).describe("What could not be read, and why"),
  read_at: z.string(),
});

export type ApprovalContext = z.output<typeof approvalContext>;

export function boundIn({ post: shown, people }: ApprovalContext): BoundContext | undefined {
  const named = people.flatMap(({ id, username }) =>
    id === null || username === null ? [] : [{ id, username }],
  );
  if (shown === null && named.length === 0) return undefined;
  return {
    ...(shown !== null && { post: boundPost(shown) }),
    ...(named.length > 0 && { people: named }),
  };
}

function boundPost({ id, author, text }: z.output<typeof post>) {
  return { id, author: author ?? null, text: text ?? null };
}

/** Compared with what the approver saw. Fails if X cannot be asked. */
export async function isAsShown(
  shown: BoundContext,
  { postId, people }: Subject,
  { client, signal }: Pick<ContextReading, "client" | "signal">,
): Promise<Outcome<boolean, ProviderError>> {
  const same = (now: unknown, before: unknown) => canonicalJson(now) === canonicalJson(before);
  if (shown.post !== undefined && postId !== undefined) {
    const { found, failure } = await readPosts(client, postId, 0, signal);
    if (failure !== undefined && failure.kind !== "not_found") return failed(failure);
    const [now] = found;
    if (now === undefined || !same(boundPost(now), shown.post)) return ok(false);
  }
  if (shown.people === undefined) return ok(true);
  const { found, failure } = await readPeople(client, people, signal);
  if (failure !== undefined) return failed(failure);
  return ok(shown.people.every((before) => found.some(({ id, username }) => same({ id, username }, before))));
}

/** From the call's arguments only. */
export interface Subject {
  readonly role: "answers" | "quotes" | "about";
  readonly postId: string | undefined;
  readonly people: readonly string[];
}

export function subjectOf(call: PlannedCall, self: string): Subject {
  const { request, posts = [] } = call.plan() ?? {};
  const replyTo = mutationOf(call)?.replyTo;
  const quoteOf = posts.length === 1 ? posts[0]?.quoteOf : undefined;
  const given: XObject = request === undefined ? call.input : { ...request.path, ...request.body };
  const operation = request === undefined ? writeOperation(call.tool.facts) : request.operation;
  const people = operation === "addListsMember" ? [...PEOPLE, "user_id"] : PEOPLE;
  const byId = operation !== undefined && ABOUT_A_POST.has(operation) ? textIn(given, "id") : undefined;
  return {
    role: replyTo !== undefined ? "answers" : quoteOf !== undefined ? "quotes" : "about",
    postId: replyTo ?? quoteOf ?? textIn(given, "tweet_id") ?? byId,
    people: [...people.flatMap((name) => idsIn(given[name])), ...otherOf(given, self)].filter(
      (one) => one !== self,
    ),
  };
}

const ABOUT_A_POST: ReadonlySet<string> = new Set(["deletePosts", "hidePostsReply"]);
const PEOPLE = ["participant_id", "participant_ids", "target_user_id"] as const;

function idsIn(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === "string").map((one) => one.replace(/^@/, ""));
}

/** Both ids make up the conversation's id. */
function otherOf(given: XObject, self: string): readonly string[] {
  const id = textIn(given, "dm_conversation_id") ?? textIn(given, "id") ?? "";
  return /^\d+-\d+$/.test(id) ? id.split("-").filter((one) => one !== self) : [];
}

export interface ContextReading {
  readonly client: XClient;
  /** If known. */
  readonly account: string | undefined;
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface ReadContext {
  readonly context: ApprovalContext;
  /** X does not have or show it. */
  readonly missing: string | undefined;
}

/** Unreadable parts stay unknown; this never fails. */
export async function readContext(
  { role, postId, people }: Subject,
  { client, account, now, signal }: ContextReading,
): Promise<ReadContext> {
  const [posts, persons] = await Promise.all([
    postId === undefined ? NO_POSTS : readPosts(client, postId, role === "answers" ? MAX_ABOVE : 0, signal),
    readPeople(client, people, signal),
  ]);
  const [found, ...above] = posts.found;
  const isPostMissing = found === undefined && posts.failure?.kind === "not_found";
  const context = {
    account: account === undefined ? null : `@${account}`,
    role: postId === undefined ? null : role,
    post: found ?? null,
    thread: above.reverse(),
    people: persons.found,
    unknown: [
      ...unread(found === undefined ? "The post" : "The thread above", posts.failure),
      ...unread("The person", persons.failure),
    ],
    read_at: new Date(now).toISOString(),
  };
  return { context, missing: isPostMissing ? `post ${postId}` : persons.missing };
}

function unread(what: string, failure: ProviderError | undefined): readonly string[] {
  return failure === undefined ? [] : [`${what} could not be read. ${failure.message}`];
}

/** Each costs money. */
const MAX_ABOVE = 3;

interface ReadPosts {
  readonly found: z.output<typeof post>[];
  readonly failure: ProviderError | undefined;
}

const NO_POSTS: ReadPosts = { found: [], failure: undefined };

/** Lowest first. Each read includes the post above; an edited post is read anew. */
async function readPosts(
  client: XClient,
  id: string,
  above: number,
  signal: AbortSignal,
): Promise<ReadPosts> {
  const found: z.output<typeof post>[] = [];
  let next: string | undefined = id;
  while (next !== undefined && found.length <= above) {
    const answer: Outcome<XAnswer<XObject | null>, ProviderError> = await client.call("getPostsById", {
      path: { id: next },
      query: POST_FIELDS,
      signal,
    });
    if (!answer.ok) return { found, failure: answer.failure };
    const { data, includes }: XAnswer<XObject | null> = answer.value;
    if (data === null) return { found, failure: NOT_SHOWN };
    // Each version of a post has its own id, and replies follow the newest.
    const newest: unknown = next === id ? listIn(data, "edit_history_tweet_ids").at(-1) : undefined;
    if (typeof newest === "string" && newest !== id) {
      next = newest;
      continue;
    }
    const people = peopleOf(includes);
    const along = new Map((includes.tweets ?? []).map((one) => [textIn(objectIn(one), "id"), objectIn(one)]));
    for (let raw: XObject | undefined = data; raw !== undefined && found.length <= above; ) {
      const { name: author_name } = shortUser(people.get(textIn(raw, "author_id") ?? "") ?? {});
      found.push(bounded({ ...shortPost(raw, people), ...(author_name !== "" && { author_name }) }));
      next = referenced(raw, "replied_to");
      raw = next === undefined ? undefined : along.get(next);
    }
  }
  return { found, failure: undefined };
}

const NOT_SHOWN: ProviderError = {
  kind: "not_found",
  message: "X has no such thing, or does not show it.",
};

const POST_FIELDS = {
  "tweet.fields": ["author_id", "created_at", "public_metrics", "referenced_tweets", "note_tweet"],
  expansions: ["author_id", "referenced_tweets.id", "referenced_tweets.id.author_id"],
  "user.fields": ["username", "name"],
};

/** Enough of a long post to decide about an answer. */
function bounded(one: z.input<typeof post>): z.output<typeof post> {
  const { text = "" } = one;
  return { ...one, text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text };
}

const MAX_TEXT = 1_000;

/** A given name needs no lookup. */
async function readPeople(client: XClient, people: readonly string[], signal: AbortSignal) {
  const ids = people.filter((one) => IS_ID.test(one)).slice(0, MAX_PEOPLE);
  const named = people.filter((one) => !IS_ID.test(one)).map((name) => personOf(null, name, null));
  if (ids.length === 0) return { found: named, failure: undefined, missing: undefined };
  const answer = await client.call<readonly XObject[]>("getUsersByIds", {
    query: { ids, "user.fields": ["username", "name"] },
    signal,
  });
  const known = new Map(
    (answer.ok ? answer.value.data : []).map((raw) => [textIn(objectIn(raw), "id"), raw]),
  );
  const found = ids.map((id) => {
    const { username, name } = shortUser(objectIn(known.get(id)));
    return personOf(id, username ?? null, name ?? null);
  });
  const isKnown = answer.ok || answer.failure.kind === "not_found";
  const unknown = isKnown ? ids.find((id) => !known.has(id)) : undefined;
  return {
    found: [...named, ...found],
    failure: answer.ok ? undefined : answer.failure,
    missing: unknown === undefined ? undefined : `person with the id ${unknown}`,
  };
}

const IS_ID = /^\d+$/;
const MAX_PEOPLE = 10;

function personOf(id: string | null, username: string | null, name: string | null) {
  return { id, username: username === null ? null : `@${username}`, name: name === "" ? null : name };
}
