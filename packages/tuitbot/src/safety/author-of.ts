import type { XClient } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { FOUND_FIELDS, foundPost } from "../discovery/found-post.ts";
import { rememberPosts } from "../discovery/remember.ts";
import type { Session } from "../guards/session.ts";
import { peopleOf } from "../shapes/people.ts";
import type { XObject } from "../shapes/x-object.ts";

export interface AuthorLookup {
  readonly client: XClient;
  readonly config: () => Pick<Config, "business" | "scoring">;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Who wrote a post: from what was found before, otherwise X is asked, and the post is kept. Undefined where X does
 * not say; it will not take a reply to such a post either.
 */
export async function authorOf(
  session: Session,
  postId: string,
  { client, config, now, signal }: AuthorLookup,
): Promise<string | undefined> {
  const { store, account } = session;
  const known = await store.db
    .selectFrom("discovered_posts")
    .select("author_id")
    .where("account", "=", account)
    .where("id", "=", postId)
    .executeTakeFirst();
  if (known !== undefined) return known.author_id;
  const answer = await client.call<XObject | null>("getPostsById", {
    path: { id: postId },
    query: FOUND_FIELDS,
    signal,
  });
  if (!answer.ok || answer.value.data === null) return undefined;
  const post = foundPost(answer.value.data, peopleOf(answer.value.includes), account);
  if (post.authorId === "") return undefined;
  if (post.authorId !== account)
    await rememberPosts(session, [post], { config: config(), source: "search", now });
  return post.authorId;
}
