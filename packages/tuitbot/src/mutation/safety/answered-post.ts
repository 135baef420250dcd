import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../../config/schema.ts";
import { FOUND_FIELDS, foundPosts } from "../../discovery/found-post.ts";
import { rememberPosts } from "../../discovery/remember.ts";
import type { Session } from "../../storage/session.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";

export interface PostLookup {
  readonly client: XClient;
  readonly access: Access;
  readonly config: Pick<Config, "business" | "scoring">;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** What the safety rules need to know about a post before it is answered. */
export interface AnsweredPost {
  readonly author: string | undefined;
  /** Its author mentioned or quoted this account; undefined where that is not known. */
  readonly isSummoned: boolean | undefined;
}

/** From the database; X is asked where that is not enough, and its answer is stored. */
export async function answeredPost(
  session: Session,
  postId: string,
  { client, access, config, now, signal }: PostLookup,
): Promise<AnsweredPost> {
  const { store, account } = session;
  const known = await store.db
    .selectFrom("discovered_posts")
    .select(["author_id", "is_summons"])
    .where("account", "=", account)
    .where("id", "=", postId)
    .executeTakeFirst();
  const isEnough = known?.is_summons === 1 || access.plan === "enterprise";
  if (known !== undefined && isEnough) return { author: known.author_id, isSummoned: known.is_summons === 1 };
  const answer = await client.call<XObject | null>("getPostsById", {
    path: { id: postId },
    // Searches do not ask for the posts that others quote, which would cost more.
    query: { ...FOUND_FIELDS, expansions: ["author_id", "referenced_tweets.id"] },
    signal,
  });
  if (!answer.ok || answer.value.data === null) return { author: known?.author_id, isSummoned: undefined };
  const { data } = answer.value;
  const [post] = foundPosts({ ...answer.value, data: [data] }, account);
  if (post === undefined) return { author: textIn(data, "author_id"), isSummoned: undefined };
  await rememberPosts(session, [post], { config, source: "search", now });
  return { author: post.authorId, isSummoned: post.isSummons };
}
