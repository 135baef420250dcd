import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Post } from "../world/post.ts";
import type { Readable } from "../world/timeline.ts";
import { type Handlers, type OperationContext, viewOf } from "./context.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";

export const postLookup = {
  getPostsById: (input, context) =>
    aboutPost(input, context, (post) => {
      const view = viewOf(input, context);
      return view.one(view.posts([post])[0]);
    }),

  getPostsByIds: (input, context) => {
    const view = viewOf(input, context);
    const posts: Post[] = [];
    for (const value of new Set(input.list("ids"))) {
      const found = readablePost(context.world, context.viewer, { type: "tweet", parameter: "ids", value });
      if (isPost(found)) posts.push(found);
      else view.errors.push(found);
    }
    return view.list(view.posts(posts));
  },

  getPostsQuotedPosts: (input, context) =>
    aboutPost(input, context, (post) => {
      const excluded = input.list("exclude");
      return pageOfPosts(context.world.quotesOf.of(post.id), `quotes ${post.id}`, input, context, {
        size: 10,
        accept: (quote) => !(excluded.includes("replies") && quote.replyTo !== undefined),
      });
    }),

  getPostsReposts: (input, context) =>
    aboutPost(input, context, (post) =>
      pageOfPosts(context.world.repostsOf.of(post.id), `reposts ${post.id}`, input, context),
    ),

  getPostsRepostedBy: (input, context) =>
    aboutPost(input, context, (post) =>
      pageOfPeople(
        authorsOf(context.world.repostsOf.of(post.id), context),
        `reposters ${post.id}`,
        input,
        context,
      ),
    ),

  getPostsLikingUsers: (input, context) =>
    aboutPost(input, context, (post) =>
      pageOfPeople(context.world.likes.to(post.id), `likers ${post.id}`, input, context),
    ),
} satisfies Handlers;

/** Or the reason the post cannot be seen. */
function aboutPost(input: Input, context: OperationContext, answer: (post: Post) => Answer): Answer {
  const found = readablePost(context.world, context.viewer, {
    type: "tweet",
    parameter: "id",
    value: input.text("id"),
  });
  if (isPost(found)) return answer(found);
  const view = viewOf(input, context);
  view.errors.push(found);
  return view.one(undefined);
}

function authorsOf(posts: Readable, { world }: OperationContext): Readable {
  const author = (id: string): string => world.posts.get(id)?.authorId ?? "";
  return {
    *older(before) {
      for (const { item, key } of posts.older(before)) yield { item: author(item), key };
    },
    *newer(after) {
      for (const { item, key } of posts.newer(after)) yield { item: author(item), key };
    },
  };
}
