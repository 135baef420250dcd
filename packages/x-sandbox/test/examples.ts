import type { OperationId } from "@toolpact/x-api/operations";
import type { Post } from "../src/world/post.ts";
import { app, type Caller, type Heard, owner } from "./caller.ts";

export interface Stage {
  readonly me: Caller;
  readonly app: Caller;
  readonly myId: string;
  readonly friendId: string;
  readonly strangerId: string;
  readonly mine: Post;
  readonly reply: Post;
  readonly theirs: Post;
  readonly listId: string;
  readonly foreignListId: string;
  readonly spaceId: string;
  readonly ownSpaceId: string;
  readonly conversationId: string;
  readonly mediaId: string;
  readonly uploadId: string;
  readonly jobId: string;
  readonly dmEventId: string;
}

export async function setStage(): Promise<Stage> {
  const me = owner({ plan: "enterprise", creditsUsd: 1_000 });
  const { sandbox } = me;
  const { world } = sandbox;
  const myId = sandbox.person("sandbox_owner").id;
  const friendId = sandbox.person("sandbox_friend").id;
  const strangerId = sandbox.person("sandbox_unknown").id;
  sandbox.person("sandbox_unknown").opensDms = true;
  const upload = await me.post("/2/media/upload", { media: png(), media_category: "tweet_image" });
  const posted = await me.post("/2/tweets", {
    text: "Maps for @sandbox_friend at https://example.com $MAPS",
    media: { media_ids: [upload.word("data", "id")] },
  });
  const mine = postOf(me, posted.word("data", "id"));
  sandbox.say("sandbox_friend", "A quote of it", { quoting: mine.id });
  await me.post(`/2/users/${myId}/retweets`, { tweet_id: mine.id });
  await me.post(`/2/users/${myId}/likes`, { tweet_id: mine.id });
  await me.post(`/2/users/${myId}/bookmarks`, { tweet_id: mine.id });
  const reply = sandbox.say("sandbox_friend", "An answer", { inReplyTo: mine.id });
  const theirs = sandbox.say("sandbox_unknown", "Something else about @sandbox_owner and maps");
  const started = await me.post("/2/media/upload/initialize", { media_type: "video/mp4", total_bytes: 12 });
  const [space] = world.spaces.values();
  const message = await me.post(`/2/dm_conversations/with/${friendId}/messages`, {
    text: "Hello @sandbox_friend",
  });
  const caller = app(sandbox);
  const job = await caller.post("/2/compliance/jobs", { type: "tweets", name: "sweep" });
  await caller.post("/2/tweets/search/stream/rules", { add: [{ value: "maps", tag: "m" }] });
  const foreign = [...world.lists.values()].find((list) => list.ownerId !== myId && !list.private);
  if (space === undefined || foreign === undefined) throw new Error("The world has no space or no list.");
  const ownSpace = { ...space, id: "1OwnSpace1234", creatorId: myId, buyerIds: [friendId, strangerId] };
  world.spaces.set(ownSpace.id, ownSpace);
  sandbox.say("sandbox_friend", `Join https://x.com/i/spaces/${space.id}`);
  sandbox.clock.advance(11_000);
  return {
    me,
    app: caller,
    myId,
    friendId,
    strangerId,
    mine,
    reply,
    theirs,
    listId: world.listsBy.of(myId).items()[0] ?? "",
    foreignListId: foreign.id,
    spaceId: space.id,
    ownSpaceId: ownSpace.id,
    conversationId: message.word("data", "dm_conversation_id"),
    mediaId: upload.word("data", "id"),
    uploadId: started.word("data", "id"),
    jobId: job.word("data", "id"),
    dmEventId: message.word("data", "dm_event_id"),
  };
}

type Example = (stage: Stage) => Promise<Heard>;

const get =
  (path: (stage: Stage) => string): Example =>
  (stage) =>
    stage.me.get(path(stage));
const appGet =
  (path: (stage: Stage) => string): Example =>
  (stage) =>
    stage.app.get(path(stage));
const post =
  (path: (stage: Stage) => string, body?: (stage: Stage) => unknown): Example =>
  (stage) =>
    stage.me.post(path(stage), body?.(stage));
const remove =
  (path: (stage: Stage) => string): Example =>
  (stage) =>
    stage.me.delete(path(stage));

/** In an order in which all succeed. */
export const examples: Readonly<Partial<Record<OperationId, Example>>> = {
  getPostsById: get(({ mine }) => `/2/tweets/${mine.id}`),
  getPostsByIds: get(({ mine, theirs }) => `/2/tweets?ids=${mine.id},${theirs.id},12345`),
  getPostsQuotedPosts: get(({ mine }) => `/2/tweets/${mine.id}/quote_tweets`),
  getPostsReposts: get(({ mine }) => `/2/tweets/${mine.id}/retweets`),
  getPostsRepostedBy: get(({ mine }) => `/2/tweets/${mine.id}/retweeted_by`),
  getPostsLikingUsers: get(({ mine }) => `/2/tweets/${mine.id}/liking_users`),
  searchPostsRecent: get(() => "/2/tweets/search/recent?query=maps"),
  searchPostsAll: appGet(() => "/2/tweets/search/all?query=maps"),
  getPostsCountsRecent: get(() => "/2/tweets/counts/recent?query=maps&granularity=day"),
  getPostsCountsAll: appGet(() => "/2/tweets/counts/all?query=maps&granularity=day"),

  getUsersMe: get(() => "/2/users/me"),
  getUsersById: get(({ friendId }) => `/2/users/${friendId}`),
  getUsersByIds: get(({ friendId }) => `/2/users?ids=${friendId},1`),
  getUsersByUsername: get(() => "/2/users/by/username/sandbox_friend"),
  getUsersByUsernames: get(() => "/2/users/by?usernames=sandbox_friend,sandbox_gone,nobody_here"),
  searchUsers: get(() => "/2/users/search?query=sandbox"),

  getUsersPosts: get(({ myId }) => `/2/users/${myId}/tweets`),
  getUsersMentions: get(({ myId }) => `/2/users/${myId}/mentions`),
  getUsersTimeline: get(({ myId }) => `/2/users/${myId}/timelines/reverse_chronological`),
  getUsersLikedPosts: get(({ myId }) => `/2/users/${myId}/liked_tweets`),
  getUsersBookmarks: get(({ myId }) => `/2/users/${myId}/bookmarks`),
  getUsersRepostsOfMe: get(() => "/2/users/reposts_of_me"),

  getUsersFollowers: get(({ myId }) => `/2/users/${myId}/followers`),
  getUsersFollowing: get(({ myId }) => `/2/users/${myId}/following`),
  getUsersMuting: get(({ myId }) => `/2/users/${myId}/muting`),
  getUsersBlocking: get(({ myId }) => `/2/users/${myId}/blocking`),
  followUser: post(
    ({ myId }) => `/2/users/${myId}/following`,
    ({ strangerId }) => ({ target_user_id: strangerId }),
  ),
  unfollowUser: remove(({ myId, strangerId }) => `/2/users/${myId}/following/${strangerId}`),
  muteUser: post(
    ({ myId }) => `/2/users/${myId}/muting`,
    ({ strangerId }) => ({ target_user_id: strangerId }),
  ),
  unmuteUser: remove(({ myId, strangerId }) => `/2/users/${myId}/muting/${strangerId}`),

  likePost: post(
    ({ myId }) => `/2/users/${myId}/likes`,
    ({ theirs }) => ({ tweet_id: theirs.id }),
  ),
  unlikePost: remove(({ myId, theirs }) => `/2/users/${myId}/likes/${theirs.id}`),
  repostPost: post(
    ({ myId }) => `/2/users/${myId}/retweets`,
    ({ theirs }) => ({ tweet_id: theirs.id }),
  ),
  unrepostPost: remove(({ myId, theirs }) => `/2/users/${myId}/retweets/${theirs.id}`),
  createUsersBookmark: post(
    ({ myId }) => `/2/users/${myId}/bookmarks`,
    ({ theirs }) => ({ tweet_id: theirs.id }),
  ),
  deleteUsersBookmark: remove(({ myId, theirs }) => `/2/users/${myId}/bookmarks/${theirs.id}`),

  getListsById: get(({ listId }) => `/2/lists/${listId}`),
  getListsPosts: get(({ listId }) => `/2/lists/${listId}/tweets`),
  getListsMembers: get(({ listId }) => `/2/lists/${listId}/members`),
  getListsFollowers: get(({ listId }) => `/2/lists/${listId}/followers`),
  getUsersOwnedLists: get(({ myId }) => `/2/users/${myId}/owned_lists`),
  getUsersListMemberships: get(({ friendId }) => `/2/users/${friendId}/list_memberships`),
  getUsersFollowedLists: get(({ friendId }) => `/2/users/${friendId}/followed_lists`),
  getUsersPinnedLists: get(({ myId }) => `/2/users/${myId}/pinned_lists`),
  articleCreateDraft: post(
    () => "/2/articles/draft",
    () => ({
      title: "On rye",
      content_state: { blocks: [{ type: "unstyled", text: "It takes time." }], entities: [] },
    }),
  ),
  createLists: post(
    () => "/2/lists",
    () => ({ name: "New list", description: "Fresh", private: true }),
  ),
  updateLists: (stage) => stage.me.put(`/2/lists/${stage.listId}`, { name: "Renamed" }),
  addListsMember: post(
    ({ listId }) => `/2/lists/${listId}/members`,
    ({ strangerId }) => ({ user_id: strangerId }),
  ),
  removeListsMemberByUserId: remove(({ listId, strangerId }) => `/2/lists/${listId}/members/${strangerId}`),
  followList: post(
    ({ myId }) => `/2/users/${myId}/followed_lists`,
    ({ foreignListId }) => ({ list_id: foreignListId }),
  ),
  unfollowList: remove(({ myId, foreignListId }) => `/2/users/${myId}/followed_lists/${foreignListId}`),
  pinList: post(
    ({ myId }) => `/2/users/${myId}/pinned_lists`,
    ({ foreignListId }) => ({ list_id: foreignListId }),
  ),
  unpinList: remove(({ myId, foreignListId }) => `/2/users/${myId}/pinned_lists/${foreignListId}`),
  deleteLists: remove(({ listId }) => `/2/lists/${listId}`),

  getSpacesById: get(({ spaceId }) => `/2/spaces/${spaceId}`),
  getSpacesByIds: get(({ spaceId }) => `/2/spaces?ids=${spaceId},1NoSuchSpace`),
  getSpacesByCreatorIds: get(({ myId }) => `/2/spaces/by/creator_ids?user_ids=${myId}`),
  searchSpaces: get(() => "/2/spaces/search?query=after"),
  getSpacesBuyers: get(({ ownSpaceId }) => `/2/spaces/${ownSpaceId}/buyers`),
  getSpacesPosts: get(({ spaceId }) => `/2/spaces/${spaceId}/tweets`),

  getDirectMessagesEvents: get(() => "/2/dm_events"),
  getDirectMessagesEventsById: get(({ dmEventId }) => `/2/dm_events/${dmEventId}`),
  getDirectMessagesEventsByConversationId: get(
    ({ conversationId }) => `/2/dm_conversations/${conversationId}/dm_events`,
  ),
  getDirectMessagesEventsByParticipantId: get(
    ({ friendId }) => `/2/dm_conversations/with/${friendId}/dm_events`,
  ),
  createDirectMessagesByParticipantId: post(
    ({ friendId }) => `/2/dm_conversations/with/${friendId}/messages`,
    () => ({ text: "Hi" }),
  ),
  createDirectMessagesByConversationId: post(
    ({ conversationId }) => `/2/dm_conversations/${conversationId}/messages`,
    () => ({ text: "Hi" }),
  ),
  createDirectMessagesConversation: post(
    () => "/2/dm_conversations",
    ({ friendId, strangerId }) => ({
      conversation_type: "Group",
      participant_ids: [friendId, strangerId],
      message: { text: "All" },
    }),
  ),
  deleteDirectMessagesEvents: remove(({ dmEventId }) => `/2/dm_events/${dmEventId}`),

  mediaUpload: post(
    () => "/2/media/upload",
    () => ({ media: png(), media_category: "tweet_image" }),
  ),
  initializeMediaUpload: post(
    () => "/2/media/upload/initialize",
    () => ({ media_type: "image/gif", total_bytes: 9 }),
  ),
  appendMediaUpload: post(
    ({ uploadId }) => `/2/media/upload/${uploadId}/append`,
    () => video(),
  ),
  finalizeMediaUpload: post(({ uploadId }) => `/2/media/upload/${uploadId}/finalize`),
  getMediaUploadStatus: get(({ uploadId }) => `/2/media/upload?command=STATUS&media_id=${uploadId}`),
  createMediaMetadata: post(
    () => "/2/media/metadata",
    ({ mediaId }) => ({ id: mediaId, metadata: { alt_text: { text: "A map" } } }),
  ),
  getMediaByMediaKey: get(({ mediaId }) => `/2/media/3_${mediaId}`),
  getMediaByMediaKeys: get(({ mediaId }) => `/2/media?media_keys=3_${mediaId},3_1`),

  createPosts: post(
    () => "/2/tweets",
    () => ({ text: "A post", poll: { options: ["a", "b"], duration_minutes: 60 } }),
  ),
  hidePostsReply: (stage) => stage.me.put(`/2/tweets/${stage.reply.id}/hidden`, { hidden: true }),
  deletePosts: remove(({ mine }) => `/2/tweets/${mine.id}`),

  getUsage: appGet(() => "/2/usage/tweets"),
  getUsageCredits: appGet(() => "/2/usage/credits"),
  getComplianceJobs: appGet(() => "/2/compliance/jobs?type=tweets"),
  getComplianceJobsById: appGet(({ jobId }) => `/2/compliance/jobs/${jobId}`),
  createComplianceJobs: (stage) => stage.app.post("/2/compliance/jobs", { type: "users" }),
  getRules: appGet(() => "/2/tweets/search/stream/rules"),
  getRuleCounts: appGet(() => "/2/tweets/search/stream/rules/counts"),
  updateRules: (stage) =>
    stage.app.post("/2/tweets/search/stream/rules", {
      add: [{ value: "bread" }],
      delete: { values: ["maps"] },
    }),
};

function video(): FormData {
  const form = new FormData();
  form.set("media", new Blob([Buffer.from("\0\0\0\u0018ftypmp42")]));
  form.set("segment_index", "0");
  return form;
}

export function png(): string {
  return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
}

function postOf(me: Caller, id: string): Post {
  const post = me.sandbox.world.posts.get(id);
  if (post === undefined) throw new Error(`The post ${id} was not made.`);
  return post;
}
