import * as z from "zod";
import { allSix, writeUpAndApiReadonly, writeUpAndApiReadonlyAndUtilityWrite } from "../../profiles.ts";
import { handle, personId } from "../../x/ids.ts";
import { aPerson, aPost } from "../params.ts";
import { byUserId, xReadOne, xReadPage } from "./x-read.ts";

const ofPerson = byUserId(aPerson);

export const getMe = xReadOne({
  name: "x_get_me",
  facts: { everyday: true },
  title: "Get my profile",
  description: "Get the profile of the signed-in account.",
  category: "read",
  profiles: writeUpAndApiReadonly,
  operation: "getUsersMe",
  kind: "users",
  params: {},
  place: () => ({}),
});

export const getUserById = xReadOne({
  name: "x_get_user_by_id",
  title: "Get a person by id",
  description: "Get one person's profile by id. Where only the name is known, use x_get_user_by_username.",
  category: "read",
  profiles: allSix,
  operation: "getUsersById",
  kind: "users",
  ...ofPerson,
});

export const getUserByUsername = xReadOne({
  name: "x_get_user_by_username",
  facts: { everyday: true },
  title: "Get a person by name",
  description: "Get one person's profile by @name, with the id that other tools take.",
  category: "read",
  profiles: allSix,
  operation: "getUsersByUsername",
  kind: "users",
  params: { username: handle.describe("@name") },
  place: ({ username }) => ({ path: { username } }),
});

export const getUsersByIds = xReadPage({
  name: "x_get_users_by_ids",
  title: "Get people by ids",
  description: "Get up to 100 profiles by id in one request. Ids that X does not show are in `missing`.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersByIds",
  kind: "users",
  params: { user_ids: z.array(personId).min(1).max(100).describe("Ids of people") },
  place: ({ user_ids }) => ({ query: { ids: [...new Set(user_ids)] } }),
});

export const getFollowers = xReadPage({
  name: "x_get_followers",
  title: "List followers",
  description: "List the people who follow a person, the latest first. X charges for each person returned.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersFollowers",
  kind: "users",
  ...ofPerson,
  page: [1, 1000],
});

export const getFollowing = xReadPage({
  name: "x_get_following",
  title: "List followed people",
  description: "List the people whom a person follows, the latest first. X charges for each person returned.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersFollowing",
  kind: "users",
  ...ofPerson,
  page: [1, 1000],
});

export const getTweetLikingUsers = xReadPage({
  name: "x_get_tweet_liking_users",
  title: "List who likes a post",
  description: "List the people who like a post.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getPostsLikingUsers",
  kind: "users",
  params: { tweet_id: aPost },
  page: [1, 100],
  place: ({ tweet_id }) => ({ path: { id: tweet_id } }),
});
