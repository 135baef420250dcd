import { type Answer, success } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { forbidden, notFound } from "../http/problems.ts";
import { renderSpace } from "../render/space.ts";
import type { Space } from "../world/space.ts";
import { Timeline } from "../world/timeline.ts";
import { forUser, type Handlers, type OperationContext, viewOf } from "./context.ts";
import { pageOfPeople, pageOfPosts } from "./pages.ts";

export const spaces = {
  getSpacesById: (input, context) =>
    aboutSpace(input, context, (space) => {
      const view = viewOf(input, context);
      return view.one(view.things([space], renderSpace)[0]);
    }),

  getSpacesByIds: (input, context) => {
    const view = viewOf(input, context);
    const found: Space[] = [];
    for (const value of new Set(input.list("ids"))) {
      const space = context.world.spaces.get(value);
      if (space === undefined) view.errors.push(notFound({ type: "space", parameter: "ids", value }));
      else found.push(space);
    }
    return view.list(view.things(found, renderSpace));
  },

  getSpacesByCreatorIds: (input, context) => {
    const creators = input.list("user_ids");
    return listOf(
      open(context).filter((space) => creators.includes(space.creatorId)),
      input,
      context,
    );
  },

  searchSpaces: (input, context) => {
    const words = input.text("query").toLowerCase();
    const state = input.optionalText("state") ?? "all";
    const found = open(context)
      .filter(
        (space) => space.title.toLowerCase().includes(words) && (state === "all" || space.state === state),
      )
      .slice(0, input.number("max_results", 100));
    return listOf(found, input, context);
  },

  getSpacesBuyers: forUser((input, context, me) =>
    aboutSpace(input, context, (space) => {
      if (space.creatorId !== me.id)
        return forbidden("Only the creator of a Space can see who bought a ticket.");
      const buyers = new Timeline();
      for (const id of space.buyerIds) buyers.add(id);
      return pageOfPeople(buyers, `buyers ${space.id}`, input, context);
    }),
  ),

  /** Those that link to it. */
  getSpacesPosts: (input, context) =>
    aboutSpace(input, context, (space) =>
      pageOfPosts(context.world.timeline, `space posts ${space.id}`, input, context, {
        accept: (post) => post.entities.urls.some((link) => link.target.includes(`/i/spaces/${space.id}`)),
      }),
    ),
} satisfies Handlers;

/** Ended spaces are found by id only. */
function open({ world }: OperationContext): Space[] {
  return [...world.spaces.values()].filter((space) => space.state !== "ended");
}

function listOf(found: readonly Space[], input: Input, context: OperationContext): Answer {
  const view = viewOf(input, context);
  return view.list(view.things(found, renderSpace), { result_count: found.length });
}

function aboutSpace(input: Input, context: OperationContext, answer: (space: Space) => Answer): Answer {
  const space = context.world.spaces.get(input.text("id"));
  if (space !== undefined) return answer(space);
  return success({ errors: [notFound({ type: "space", parameter: "id", value: input.text("id") })] });
}
