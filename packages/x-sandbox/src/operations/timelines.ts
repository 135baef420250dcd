import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { merged, type Readable } from "../world/chronicle.ts";
import type { Post } from "../world/post.ts";
import { aboutPerson } from "./about-person.ts";
import { idRangeOf } from "./id-range.ts";
import { type PostsSettings, pageOfPosts } from "./pages.ts";
import { forUser, type Handlers, onOwn, type Scene } from "./scene.ts";

export const timelines = {
  getUsersPosts: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      timeline(scene.world.postsBy.of(person.id), `posts ${person.id}`, input, scene),
    ),

  getUsersMentions: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      timeline(scene.world.mentionsOf.of(person.id), `mentions ${person.id}`, input, scene),
    ),

  getUsersTimeline: onOwn("id", (input, scene, me) => {
    const { world } = scene;
    const authors = [me.id, ...world.follows.from(me.id).items()].filter((id) => !world.mutes.has(me.id, id));
    return timeline(merged(authors.map((id) => world.postsBy.of(id))), `home ${me.id}`, input, scene);
  }),

  getUsersLikedPosts: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfPosts(scene.world.likes.from(person.id), `liked ${person.id}`, input, scene),
    ),

  getUsersBookmarks: onOwn("id", (input, scene, me) =>
    pageOfPosts(scene.world.bookmarks.from(me.id), `bookmarks ${me.id}`, input, scene),
  ),

  getUsersRepostsOfMe: forUser((input, scene, me) => {
    const { world } = scene;
    return pageOfPosts(world.postsBy.of(me.id), `reposts of ${me.id}`, input, scene, {
      accept: (post) => world.repostsOf.of(post.id).size > 0,
    });
  }),
} satisfies Handlers;

function timeline(source: Readable, scope: string, input: Input, scene: Scene): Answer {
  const range = idRangeOf(input);
  if ("refusal" in range) return range.refusal;
  const excluded = input.list("exclude");
  const settings: PostsSettings = { range, ends: "with ends" };
  if (excluded.length === 0) return pageOfPosts(source, scope, input, scene, settings);
  const isExcluded = (post: Post): boolean =>
    (excluded.includes("replies") && post.replyTo !== undefined) ||
    (excluded.includes("retweets") && post.repostOf !== undefined);
  return pageOfPosts(source, scope, input, scene, { ...settings, accept: (post) => !isExcluded(post) });
}
