import { type Answer, success } from "../http/answer.ts";
import { forbidden, missing } from "../http/problems.ts";
import { refusedByPlan } from "../rules/plans.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Post } from "../world/post.ts";
import { writeRepost } from "../world/write-post.ts";
import { type Handlers, type OperationContext, onOwn } from "./context.ts";

export const engagement = {
  likePost: onOwn("id", (input, context, me) => {
    const refusal = refusedByPlan(context.plan, "Liking posts", context.app.clientId);
    if (refusal !== undefined) return refusal;
    const post = targetOf(input.body.text("tweet_id"), context);
    if ("status" in post) return post;
    context.world.likes.add(me.id, post.id, context.world.relationKeyAt(context.now));
    return success({ data: { liked: true } });
  }),

  unlikePost: onOwn("id", (input, context, me) => {
    context.world.likes.remove(me.id, input.text("tweet_id"));
    return success({ data: { liked: false } });
  }),

  repostPost: onOwn("id", (input, context, me) => {
    const { world } = context;
    const post = targetOf(input.body.text("tweet_id"), context);
    if ("status" in post) return post;
    if (ownRepost(context, me.id, post.id) !== undefined)
      return forbidden("You have already retweeted this Tweet.");
    if (world.people.get(post.authorId)?.protected === true)
      return forbidden("You can not repost a protected account's post.");
    const repost = writeRepost(world, me.id, post, context.now);
    return success({ data: { rest_id: repost.id, retweeted: true } });
  }),

  unrepostPost: onOwn("id", (input, context, me) => {
    const repost = ownRepost(context, me.id, input.text("source_tweet_id"));
    if (repost !== undefined) context.world.removePost(repost);
    return success({ data: { retweeted: false } });
  }),

  createUsersBookmark: onOwn("id", (input, context, me) => {
    const post = targetOf(input.body.text("tweet_id"), context);
    if ("status" in post) return post;
    context.world.bookmarks.add(me.id, post.id, context.world.relationKeyAt(context.now));
    return success({ data: { bookmarked: true } });
  }),

  deleteUsersBookmark: onOwn("id", (input, context, me) => {
    context.world.bookmarks.remove(me.id, input.text("tweet_id"));
    return success({ data: { bookmarked: false } });
  }),
} satisfies Handlers;

/** For a repost, the original. */
function targetOf(id: string | undefined, context: OperationContext): Post | Answer {
  const what = { type: "tweet", parameter: "tweet_id", value: id ?? "" } as const;
  const found = readablePost(context.world, context.viewer, what);
  if (!isPost(found)) return missing(what);
  return context.world.posts.get(found.repostOf ?? "") ?? found;
}

function ownRepost(context: OperationContext, userId: string, postId: string): Post | undefined {
  const ids = context.world.repostsOf.of(postId).items();
  return ids.flatMap((id) => context.world.posts.get(id) ?? []).find((repost) => repost.authorId === userId);
}
