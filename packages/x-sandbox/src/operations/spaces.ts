import { type Answer, done } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import { forbidden, notFound } from "../problems.ts";
import { renderSpace } from "../render/space.ts";
import { Chronicle } from "../world/chronicle.ts";
import type { Space } from "../world/space.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";
import { forUser, type Handlers, type Scene, viewOf } from "./scene.ts";

export const spaces = {
  getSpacesById: (input, scene) =>
    aboutSpace(input, scene, (space) => {
      const view = viewOf(input, scene);
      return view.one(view.things([space], renderSpace)[0]);
    }),

  getSpacesByIds: (input, scene) => {
    const view = viewOf(input, scene);
    const found: Space[] = [];
    for (const value of new Set(input.list("ids"))) {
      const space = scene.world.spaces.get(value);
      if (space === undefined) view.errors.push(notFound({ type: "space", parameter: "ids", value }));
      else found.push(space);
    }
    return view.list(view.things(found, renderSpace));
  },

  getSpacesByCreatorIds: (input, scene) => {
    const creators = input.list("user_ids");
    return listOf(
      open(scene).filter((space) => creators.includes(space.creatorId)),
      input,
      scene,
    );
  },

  searchSpaces: (input, scene) => {
    const words = input.text("query").toLowerCase();
    const state = input.optionalText("state") ?? "all";
    const found = open(scene)
      .filter(
        (space) => space.title.toLowerCase().includes(words) && (state === "all" || space.state === state),
      )
      .slice(0, input.number("max_results", 100));
    return listOf(found, input, scene);
  },

  getSpacesBuyers: forUser((input, scene, me) =>
    aboutSpace(input, scene, (space) => {
      if (space.creatorId !== me.id)
        return forbidden("Only the creator of a Space can see who bought a ticket.");
      const buyers = new Chronicle();
      for (const id of space.buyerIds) buyers.add(id);
      return pageOfPeople(buyers, `buyers ${space.id}`, input, scene);
    }),
  ),

  /** Posts shared in a Space: here, those that link to it. */
  getSpacesPosts: (input, scene) =>
    aboutSpace(input, scene, (space) =>
      pageOfPosts(scene.world.timeline, `space posts ${space.id}`, input, scene, {
        accept: (post) => post.entities.urls.some((link) => link.target.includes(`/i/spaces/${space.id}`)),
      }),
    ),
} satisfies Handlers;

/** Ended spaces can be looked up by id and found nowhere else. */
function open({ world }: Scene): Space[] {
  return [...world.spaces.values()].filter((space) => space.state !== "ended");
}

function listOf(found: readonly Space[], input: Input, scene: Scene): Answer {
  const view = viewOf(input, scene);
  return view.list(view.things(found, renderSpace), { result_count: found.length });
}

function aboutSpace(input: Input, scene: Scene, answer: (space: Space) => Answer): Answer {
  const space = scene.world.spaces.get(input.text("id"));
  if (space !== undefined) return answer(space);
  return done({ errors: [notFound({ type: "space", parameter: "id", value: input.text("id") })] });
}
