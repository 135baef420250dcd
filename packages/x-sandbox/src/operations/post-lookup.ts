import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Readable } from "../world/chronicle.ts";
import type { Post } from "../world/post.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";
import { type Handlers, type Scene, viewOf } from "./scene.ts";

export const postLookup = {
  getPostsById: (input, scene) => {
    const view = viewOf(input, scene);
    const found = readablePost(scene.world, scene.viewer, {
      type: "tweet",
      parameter: "id",
      value: input.text("id"),
    });
    if (isPost(found)) return view.one(view.posts([found])[0]);
    view.errors.push(found);
    return view.one(undefined);
  },

  getPostsByIds: (input, scene) => {
    const view = viewOf(input, scene);
    const posts: Post[] = [];
    for (const value of new Set(input.list("ids"))) {
      const found = readablePost(scene.world, scene.viewer, { type: "tweet", parameter: "ids", value });
      if (isPost(found)) posts.push(found);
      else view.errors.push(found);
    }
    return view.list(view.posts(posts));
  },

  getPostsQuotedPosts: (input, scene) =>
    aboutPost(input, scene, (post) => {
      const excluded = input.list("exclude");
      return pageOfPosts(scene.world.quotesOf.of(post.id), input, scene, {
        scope: `quotes ${post.id}`,
        limit: input.number("max_results", 10),
        accept: (quote) => !(excluded.includes("replies") && quote.replyTo !== undefined),
      });
    }),

  getPostsReposts: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPosts(scene.world.repostsOf.of(post.id), input, scene, {
        scope: `reposts ${post.id}`,
        limit: input.number("max_results", 100),
      }),
    ),

  getPostsRepostedBy: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPeople(authorsOf(scene.world.repostsOf.of(post.id), scene), input, scene, {
        scope: `reposters ${post.id}`,
        limit: input.number("max_results", 100),
      }),
    ),

  getPostsLikingUsers: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPeople(scene.world.likes.to(post.id), input, scene, {
        scope: `likers ${post.id}`,
        limit: input.number("max_results", 100),
      }),
    ),
} satisfies Handlers;

/** Lists that hang on a post: without the post there is only the reason why. */
function aboutPost(input: Input, scene: Scene, list: (post: Post) => Answer): Answer {
  const found = readablePost(scene.world, scene.viewer, {
    type: "tweet",
    parameter: "id",
    value: input.text("id"),
  });
  if (isPost(found)) return list(found);
  const view = viewOf(input, scene);
  view.errors.push(found);
  return view.one(undefined);
}

/** People in place of their posts, under the posts' keys. */
function authorsOf(posts: Readable, { world }: Scene): Readable {
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
