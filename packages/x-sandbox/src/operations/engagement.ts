import { type Answer, done } from "../answer.ts";
import { forbidden, missing } from "../problems.ts";
import { refusedByPlan } from "../rules/plans.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Post } from "../world/post.ts";
import { writeRepost } from "../world/write-post.ts";
import { type Handlers, onOwn, type Scene } from "./scene.ts";

export const engagement = {
  likePost: onOwn("id", (input, scene, me) => {
    const refusal = refusedByPlan(scene.plan, "Liking posts", scene.app.clientId);
    if (refusal !== undefined) return refusal;
    const post = targetOf(input.body.text("tweet_id"), scene);
    if ("status" in post) return post;
    scene.world.likes.add(me.id, post.id, scene.world.bondKeyAt(scene.now));
    return done({ data: { liked: true } });
  }),

  unlikePost: onOwn("id", (input, scene, me) => {
    scene.world.likes.remove(me.id, input.text("tweet_id"));
    return done({ data: { liked: false } });
  }),

  repostPost: onOwn("id", (input, scene, me) => {
    const { world } = scene;
    const post = targetOf(input.body.text("tweet_id"), scene);
    if ("status" in post) return post;
    if (ownRepost(scene, me.id, post.id) !== undefined)
      return forbidden("You have already retweeted this Tweet.");
    if (world.people.get(post.authorId)?.protected === true)
      return forbidden("You can not repost a protected account's post.");
    const repost = writeRepost(world, me.id, post, scene.now);
    return done({ data: { rest_id: repost.id, retweeted: true } });
  }),

  unrepostPost: onOwn("id", (input, scene, me) => {
    const repost = ownRepost(scene, me.id, input.text("source_tweet_id"));
    if (repost !== undefined) scene.world.removePost(repost);
    return done({ data: { retweeted: false } });
  }),

  createUsersBookmark: onOwn("id", (input, scene, me) => {
    const post = targetOf(input.body.text("tweet_id"), scene);
    if ("status" in post) return post;
    scene.world.bookmarks.add(me.id, post.id, scene.world.bondKeyAt(scene.now));
    return done({ data: { bookmarked: true } });
  }),

  deleteUsersBookmark: onOwn("id", (input, scene, me) => {
    scene.world.bookmarks.remove(me.id, input.text("tweet_id"));
    return done({ data: { bookmarked: false } });
  }),
} satisfies Handlers;

/** What one reacts to; a reaction to a repost goes to the original. */
function targetOf(id: string | undefined, scene: Scene): Post | Answer {
  const what = { type: "tweet", parameter: "tweet_id", value: id ?? "" } as const;
  const found = readablePost(scene.world, scene.viewer, what);
  if (!isPost(found)) return missing(what);
  return scene.world.posts.get(found.repostOf ?? "") ?? found;
}

function ownRepost(scene: Scene, userId: string, postId: string): Post | undefined {
  const ids = scene.world.repostsOf.of(postId).items();
  return ids.flatMap((id) => scene.world.posts.get(id) ?? []).find((repost) => repost.authorId === userId);
}
