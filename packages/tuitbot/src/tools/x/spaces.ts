import * as z from "zod";
import type { KnownTool } from "../../mutation/plan.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { personIds, spaceId, spaceIds } from "../../x/ids.ts";
import { byId, xReadOne, xReadPage } from "./x-read.ts";

const about = { category: "read", profiles: writeUpAndUtilityWrite } as const;
const ofSpace = byId(spaceId.describe("Space: id or address"));

export const spaceTools: readonly KnownTool[] = [
  xReadOne({
    name: "x_v2_spaces_get",
    title: "Get a Space",
    describe: "One Space (live audio).",
    ...about,
    operation: "getSpacesById",
    kind: "spaces",
    ...ofSpace,
    fields: ["space_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_spaces_lookup",
    title: "Get Spaces by ids",
    describe: "Up to 100 Spaces in one call.",
    ...about,
    operation: "getSpacesByIds",
    kind: "spaces",
    params: { ids: spaceIds.describe("Ids, comma-separated") },
    fields: ["space_fields", "expansions"],
    place: ({ ids }) => ({ query: { ids } }),
  }),
  xReadPage({
    name: "x_v2_spaces_by_creator",
    title: "Spaces of people",
    describe: "Live and scheduled Spaces of up to 100 people.",
    ...about,
    operation: "getSpacesByCreatorIds",
    kind: "spaces",
    params: { user_ids: personIds.describe("Ids of people, comma-separated") },
    fields: ["space_fields", "expansions"],
    place: ({ user_ids }) => ({ query: { user_ids } }),
  }),
  xReadPage({
    name: "x_v2_spaces_search",
    title: "Search Spaces",
    describe: "The first 10 live and scheduled Spaces by title.",
    ...about,
    operation: "searchSpaces",
    kind: "spaces",
    params: {
      query: z.string().min(1).describe("Words in the title"),
      state: z.enum(["live", "scheduled", "all"]).default("all").describe("Which"),
    },
    fields: ["space_fields", "expansions"],
    place: ({ query, state }) => ({ query: { query, state, max_results: 10 } }),
  }),
  xReadPage({
    name: "x_v2_spaces_buyers",
    title: "Ticket buyers of a Space",
    describe: "People who bought a ticket to a Space of yours.",
    ...about,
    operation: "getSpacesBuyers",
    kind: "users",
    ...ofSpace,
    page: [1, 100],
    fields: ["user_fields"],
  }),
  xReadPage({
    name: "x_v2_spaces_tweets",
    title: "Posts in a Space",
    describe: "Posts shared in a Space.",
    ...about,
    operation: "getSpacesPosts",
    kind: "posts",
    ...ofSpace,
    page: [1, 100],
    fields: ["tweet_fields", "user_fields", "expansions"],
  }),
];
