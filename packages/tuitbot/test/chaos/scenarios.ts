import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { postedBy } from "../storage/world.ts";

/** One thing that an agent wants, and how the world looks when it has it. */
export interface Scenario {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Arguments of a second call that looks much like the first. */
  readonly alike?: JsonObject;
  /** Operations of X whose requests may go wrong. */
  readonly operation: string;
  /** How often the world holds each thing that the agent wanted: once when all is well. */
  readonly effects: () => readonly number[];
  /** Nothing but its words says which call it is: the same words later are another message. */
  readonly isKeyless?: true;
  /** It removes something: `effects` counts removals. */
  readonly takesAway?: true;
  /** Returns X's content under the id that a success reports; it must be the requested one. */
  readonly reported?: (data: JsonObject) => string | undefined;
}

/** A scenario on this sandbox, by number. */
export function scenarioOn(sandbox: Sandbox, number: number): Scenario {
  const friend = sandbox.person(cast.friend).id;
  const me = sandbox.person(cast.owner).id;
  const texts = (...wanted: string[]) =>
    wanted.map((text) => postedBy(sandbox).filter((post) => post.text === text).length);
  const postNamed = ({ id }: JsonObject) => sandbox.world.posts.get(String(id))?.submitted;
  const messageNamed = ({ event_id }: JsonObject) => sandbox.world.dmEvents.get(String(event_id))?.text;
  const messages = (wanted: string) => [
    [...sandbox.world.dmEvents.values()].filter(({ text }) => text === wanted).length,
  ];
  const makers: readonly (() => Scenario)[] = [
    () => ({
      name: "two posts that differ in a name",
      tool: "x_post_tweet",
      args: { text: `${cast.friend} has good bread today` },
      alike: { text: `${cast.stranger} has good bread today` },
      operation: "createPosts",
      effects: () => texts(`${cast.friend} has good bread today`, `${cast.stranger} has good bread today`),
      reported: postNamed,
    }),
    () => ({
      name: "two posts of which one ends like the other",
      tool: "x_post_tweet",
      args: { text: "two loaves left" },
      alike: { text: "Only two loaves left" },
      operation: "createPosts",
      effects: () => texts("two loaves left", "Only two loaves left"),
      reported: postNamed,
    }),
    () => ({
      name: "the same message twice",
      tool: "x_v2_dm_send_to_participant",
      args: { participant_id: friend, text: "Call me back", idempotency_key: "first" },
      alike: { participant_id: friend, text: "Call me back", idempotency_key: "second" },
      operation: "createDirectMessagesByParticipantId",
      effects: () => {
        const events = [...sandbox.world.dmEvents.values()];
        const sent = events.filter(({ text }) => text === "Call me back").length;
        return [Math.min(sent, 1), sent - Math.min(sent, 1)];
      },
      reported: messageNamed,
    }),
    () => ({
      name: "a list",
      tool: "x_v2_lists_create",
      args: { name: "Bakers", idempotency_key: "list" },
      operation: "createLists",
      effects: () => [[...sandbox.world.lists.values()].filter(({ name }) => name === "Bakers").length],
      reported: ({ id }) => sandbox.world.lists.get(String(id))?.name,
    }),
    () => ({
      name: "a post",
      tool: "x_post_tweet",
      args: { text: "Good morning & <good> night" },
      operation: "createPosts",
      effects: () => texts("Good morning & <good> night"),
      reported: postNamed,
    }),
    () => ({
      name: "a post with a link",
      tool: "x_post_tweet",
      args: { text: "Read https://example.com/news today", accept_url_price: true },
      operation: "createPosts",
      effects: () => texts("Read https://example.com/news today"),
    }),
    () => ({
      name: "a thread",
      tool: "x_post_thread",
      args: { tweets: ["One", "Two", "Three"] },
      operation: "createPosts",
      effects: () => texts("One", "Two", "Three"),
    }),
    () => {
      const { id } = sandbox.say(cast.friend, "Any news?");
      return {
        name: "a reply",
        tool: "x_reply_to_tweet",
        args: { text: "None so far", in_reply_to_id: id },
        operation: "createPosts",
        effects: () => texts("None so far"),
      };
    },
    () => {
      const { id } = sandbox.say(cast.friend, "Something to repost");
      return {
        name: "a repost",
        tool: "x_retweet",
        args: { tweet_id: id },
        operation: "repostPost",
        effects: () => [
          [...sandbox.world.posts.values()].filter((post) => post.repostOf === id && post.authorId === me)
            .length,
        ],
      };
    },
    () => {
      const { id } = sandbox.say(cast.friend, "Something to like");
      return {
        name: "a like",
        tool: "x_like_tweet",
        args: { tweet_id: id },
        operation: "likePost",
        effects: () => [sandbox.world.likes.has(me, id) ? 1 : 0],
      };
    },
    () => {
      const { id } = sandbox.say(cast.friend, "Something liked");
      sandbox.world.likes.add(me, id, sandbox.world.idAt(sandbox.clock.now()));
      return {
        name: "a like taken back",
        tool: "x_unlike_tweet",
        args: { tweet_id: id },
        operation: "unlikePost",
        takesAway: true,
        effects: () => [sandbox.world.likes.has(me, id) ? 0 : 1],
      };
    },
    () => {
      const { id } = sandbox.say(cast.friend, "Something marked");
      sandbox.world.bookmarks.add(me, id, sandbox.world.idAt(sandbox.clock.now()));
      return {
        name: "a bookmark taken away",
        tool: "x_unbookmark_tweet",
        args: { tweet_id: id },
        operation: "deleteUsersBookmark",
        takesAway: true,
        effects: () => [sandbox.world.bookmarks.has(me, id) ? 0 : 1],
      };
    },
    () => {
      sandbox.world.follows.add(me, friend, sandbox.world.idAt(sandbox.clock.now()));
      return {
        name: "an unfollow",
        tool: "x_unfollow_user",
        args: { target_user_id: friend },
        operation: "unfollowUser",
        takesAway: true,
        effects: () => [sandbox.world.follows.has(me, friend) ? 0 : 1],
      };
    },
    () => ({
      name: "a message",
      tool: "x_v2_dm_send_to_participant",
      args: { participant_id: friend, text: "Are you there?", idempotency_key: "chaos" },
      operation: "createDirectMessagesByParticipantId",
      effects: () => messages("Are you there?"),
    }),
    () => ({
      name: "a message without a key",
      tool: "x_v2_dm_send_to_participant",
      args: { participant_id: friend, text: "See you at nine" },
      isKeyless: true,
      operation: "createDirectMessagesByParticipantId",
      effects: () => messages("See you at nine"),
      reported: messageNamed,
    }),
    () => ({
      name: "a message in a conversation, without a key",
      tool: "x_v2_dm_send_in_conversation",
      args: { id: groupOf(sandbox, me), text: "See you all at ten" },
      isKeyless: true,
      operation: "createDirectMessagesByConversationId",
      effects: () => messages("See you all at ten"),
      reported: messageNamed,
    }),
  ];
  const make = makers[number % makers.length];
  if (make === undefined) throw new Error("There are no scenarios.");
  return make();
}

/** A group that the person is in. */
function groupOf({ world }: Sandbox, person: string): string {
  const groups = [...world.conversations.values()].filter(({ group }) => group);
  return groups.find(({ participantIds }) => participantIds.includes(person))?.id ?? "";
}
