import * as z from "zod";
import type { TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { personIds, spaceId, spaceIds } from "../../x/ids.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import { byId, xReadOne, xReadPage } from "./x-read.ts";

const about = { category: "read", profiles: writeUpAndUtilityWrite } as const;
const ofSpace = byId(spaceId.describe("Space id or URL, such as 1DXxyRYNejbKM"));

export const spaceTools: readonly TuitbotTool[] = [
  xReadOne({
    name: "x_v2_spaces_get",
    searchWords: "details of a Space",
    title: "Get a Space",
    description: "Get one Space (live audio) by id: title, state, hosts and times.",
    ...about,
    operation: "getSpacesById",
    kind: "spaces",
    ...ofSpace,
    fields: ["space_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_spaces_lookup",
    searchWords: "several Spaces by id",
    title: "Get Spaces by ids",
    description: "Get up to 100 Spaces by id in one request.",
    ...about,
    operation: "getSpacesByIds",
    kind: "spaces",
    params: { ids: spaceIds.describe("Up to 100, comma-separated: 1DXxyRYNejbKM,1nAJELYEEPvGL") },
    fields: ["space_fields", "expansions"],
    place: ({ ids }) => ({ query: { ids } }),
  }),
  xReadPage({
    name: "x_v2_spaces_by_creator",
    searchWords: "Spaces of a person, who hosts a Space",
    title: "List people's Spaces",
    description: "List the live and scheduled Spaces of up to 100 people.",
    ...about,
    operation: "getSpacesByCreatorIds",
    kind: "spaces",
    params: { user_ids: personIds.describe("Up to 100 user ids, comma-separated: 2244994945,783214") },
    fields: ["space_fields", "expansions"],
    place: ({ user_ids }) => ({ query: { user_ids } }),
  }),
  xReadPage({
    name: "x_v2_spaces_search",
    searchWords: "find live audio, search Spaces, audio rooms",
    title: "Search Spaces",
    description: "Search live and scheduled Spaces by title and return the first of them.",
    ...about,
    operation: "searchSpaces",
    kind: "spaces",
    params: {
      query: z.string().min(1).max(MAX_WORD).describe("Words of the title, such as climate"),
      state: z.enum(["live", "scheduled", "all"]).default("all").describe("Only Spaces in this state"),
      max_results: z.int().min(1).max(100).default(10).describe("At most so many"),
    },
    fields: ["space_fields", "expansions"],
    place: ({ query, state, max_results }) => ({ query: { query, state, max_results } }),
  }),
  xReadPage({
    name: "x_v2_spaces_buyers",
    searchWords: "who bought a ticket",
    title: "List ticket buyers",
    description: "List the people who bought a ticket to a Space of yours.",
    ...about,
    operation: "getSpacesBuyers",
    kind: "users",
    ...ofSpace,
    page: [1, 100],
    fields: ["user_fields"],
  }),
  xReadPage({
    name: "x_v2_spaces_tweets",
    searchWords: "posts shared in a Space",
    title: "List posts in a Space",
    description: "List the posts that were shared in a Space.",
    ...about,
    operation: "getSpacesPosts",
    kind: "posts",
    ...ofSpace,
    page: [1, 100],
    fields: ["tweet_fields", "user_fields", "expansions"],
  }),
];
