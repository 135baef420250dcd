import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Readable } from "../world/chronicle.ts";
import type { Post } from "../world/post.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";
import { type Handlers, type Scene, viewOf } from "./scene.ts";

export const postLookup = {
  getPostsById: (input, scene) =>
    aboutPost(input, scene, (post) => {
      const view = viewOf(input, scene);
      return view.one(view.posts([post])[0]);
    }),

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
      return pageOfPosts(scene.world.quotesOf.of(post.id), `quotes ${post.id}`, input, scene, {
        size: 10,
        accept: (quote) => !(excluded.includes("replies") && quote.replyTo !== undefined),
      });
    }),

  getPostsReposts: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPosts(scene.world.repostsOf.of(post.id), `reposts ${post.id}`, input, scene),
    ),

  getPostsRepostedBy: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPeople(authorsOf(scene.world.repostsOf.of(post.id), scene), `reposters ${post.id}`, input, scene),
    ),

  getPostsLikingUsers: (input, scene) =>
    aboutPost(input, scene, (post) =>
      pageOfPeople(scene.world.likes.to(post.id), `likers ${post.id}`, input, scene),
    ),
} satisfies Handlers;

/** A post and the lists that hang on it: without the post there is only the reason why. */
function aboutPost(input: Input, scene: Scene, answer: (post: Post) => Answer): Answer {
  const found = readablePost(scene.world, scene.viewer, {
    type: "tweet",
    parameter: "id",
    value: input.text("id"),
  });
  if (isPost(found)) return answer(found);
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
