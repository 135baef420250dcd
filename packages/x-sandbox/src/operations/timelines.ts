import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import type { Post } from "../world/post.ts";
import { merged, type Readable } from "../world/timeline.ts";
import { aboutPerson, forUser, type Handlers, type OperationContext, onOwn } from "./context.ts";
import { idRangeOf } from "./id-range.ts";
import { type PostsSettings, pageOfPosts } from "./pages.ts";

export const timelines = {
  getUsersPosts: (input, context) =>
    aboutPerson(input, context, (person) =>
      timeline(context.world.postsBy.of(person.id), `posts ${person.id}`, input, context),
    ),

  getUsersMentions: (input, context) =>
    aboutPerson(input, context, (person) =>
      timeline(context.world.mentionsOf.of(person.id), `mentions ${person.id}`, input, context),
    ),

  getUsersTimeline: onOwn("id", (input, context, me) => {
    const { world } = context;
    const authors = [me.id, ...world.follows.from(me.id).items()].filter((id) => !world.mutes.has(me.id, id));
    return timeline(merged(authors.map((id) => world.postsBy.of(id))), `home ${me.id}`, input, context);
  }),

  getUsersLikedPosts: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfPosts(context.world.likes.from(person.id), `liked ${person.id}`, input, context),
    ),

  getUsersBookmarks: onOwn("id", (input, context, me) =>
    pageOfPosts(context.world.bookmarks.from(me.id), `bookmarks ${me.id}`, input, context),
  ),

  getUsersRepostsOfMe: forUser((input, context, me) => {
    const { world } = context;
    return pageOfPosts(world.postsBy.of(me.id), `reposts of ${me.id}`, input, context, {
      accept: (post) => world.repostsOf.of(post.id).size > 0,
    });
  }),
} satisfies Handlers;

function timeline(source: Readable, scope: string, input: Input, context: OperationContext): Answer {
  const range = idRangeOf(input);
  if ("refusal" in range) return range.refusal;
  const excluded = input.list("exclude");
  const settings: PostsSettings = { range, ends: "with ends" };
  if (excluded.length === 0) return pageOfPosts(source, scope, input, context, settings);
  const isExcluded = (post: Post): boolean =>
    (excluded.includes("replies") && post.replyTo !== undefined) ||
    (excluded.includes("retweets") && post.repostOf !== undefined);
  return pageOfPosts(source, scope, input, context, { ...settings, accept: (post) => !isExcluded(post) });
}
