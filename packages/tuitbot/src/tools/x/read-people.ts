import * as z from "zod";
import { allSix, writeUpAndApiReadonly, writeUpAndApiReadonlyAndUtilityWrite } from "../../profiles.ts";
import { handle, personId } from "../../x/ids.ts";
import { aPerson, aPost, meByDefault } from "../params.ts";
import { byUserId, xReadOne, xReadPage } from "./x-read.ts";

const ofPerson = byUserId(aPerson);
const ofMe = byUserId(meByDefault);

export const getMe = xReadOne({
  name: "x_get_me",
  searchWords: "who am I, my profile, who is signed in, my own handle",
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
  searchWords: "profile by id, who is this id",
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
  searchWords: "look up a person, profile of somebody, who is @name, user by handle",
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
  searchWords: "several profiles by id",
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
  searchWords: "who follows me, my followers, followers of a person",
  title: "List followers",
  description: "List the people who follow a person, the latest first. X charges for each person returned.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersFollowers",
  kind: "users",
  ...ofMe,
  page: [1, 1000],
});

export const getFollowing = xReadPage({
  name: "x_get_following",
  searchWords: "whom do I follow, who does this person follow, followed accounts",
  title: "List followed people",
  description: "List the people whom a person follows, the latest first. X charges for each person returned.",
  category: "read",
  profiles: writeUpAndApiReadonlyAndUtilityWrite,
  operation: "getUsersFollowing",
  kind: "users",
  ...ofMe,
  page: [1, 1000],
});

export const getTweetLikingUsers = xReadPage({
  name: "x_get_tweet_liking_users",
  searchWords: "who liked my post, people who like a post",
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
