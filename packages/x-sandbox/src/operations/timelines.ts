import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { notVisible } from "../problems.ts";
import { canRead, isPerson, visiblePerson } from "../rules/visibility.ts";
import { merged, type Readable } from "../world/chronicle.ts";
import type { Person } from "../world/person.ts";
import type { Post } from "../world/post.ts";
import { idRangeOf } from "./id-range.ts";
import { type ListSettings, pageOfPosts } from "./pages.ts";
import { forUser, type Handlers, onOwn, type Scene, viewOf } from "./scene.ts";

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
      pageOfPosts(scene.world.likes.from(person.id), input, scene, {
        scope: `liked ${person.id}`,
        limit: input.number("max_results", 100),
      }),
    ),

  getUsersBookmarks: onOwn("id", (input, scene, me) =>
    pageOfPosts(scene.world.bookmarks.from(me.id), input, scene, {
      scope: `bookmarks ${me.id}`,
      limit: input.number("max_results", 100),
    }),
  ),

  getUsersRepostsOfMe: forUser((input, scene, me) => {
    const { world } = scene;
    return pageOfPosts(world.postsBy.of(me.id), input, scene, {
      scope: `reposts of ${me.id}`,
      limit: input.number("max_results", 100),
      accept: (post) => world.repostsOf.of(post.id).size > 0,
    });
  }),
} satisfies Handlers;

function timeline(source: Readable, scope: string, input: Input, scene: Scene): Answer {
  const range = idRangeOf(input);
  if ("refusal" in range) return range.refusal;
  const excluded = input.list("exclude");
  const settings: ListSettings = { scope, limit: input.number("max_results", 100), range, ends: "with ends" };
  if (excluded.length === 0) return pageOfPosts(source, input, scene, settings);
  const isExcluded = (post: Post): boolean =>
    (excluded.includes("replies") && post.replyTo !== undefined) ||
    (excluded.includes("retweets") && post.repostOf !== undefined);
  return pageOfPosts(source, input, scene, { ...settings, accept: (post) => !isExcluded(post) });
}

/** Lists of what a person does: without the person, or the right to read them, there is only the reason why. */
export function aboutPerson(input: Input, scene: Scene, list: (person: Person) => Answer): Answer {
  const what = { type: "user", parameter: "id", value: input.text("id") } as const;
  const found = visiblePerson(scene.world.people.get(what.value), what);
  if (isPerson(found) && canRead(scene.world, scene.viewer, found)) return list(found);
  const view = viewOf(input, scene);
  view.errors.push(isPerson(found) ? notVisible(what) : found);
  return view.one(undefined);
}
