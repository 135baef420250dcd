import { type OperationId, operations } from "@toolpact/x-api/operations";
import { expect, test } from "vitest";
import { handlers } from "../src/operations/handlers.ts";
import { owner } from "./caller.ts";

/** Operations the tools built on X need: the curated ones, the spec-generated ones, messages, media, usage. */
const needed: readonly OperationId[] = [
  "getPostsById",
  "getPostsByIds",
  "getPostsQuotedPosts",
  "getPostsRepostedBy",
  "getPostsLikingUsers",
  "searchPostsRecent",
  "getPostsCountsRecent",
  "createPosts",
  "deletePosts",
  "hidePostsReply",
  "getUsersMe",
  "getUsersById",
  "getUsersByIds",
  "getUsersByUsername",
  "getUsersByUsernames",
  "getUsersPosts",
  "getUsersMentions",
  "getUsersTimeline",
  "getUsersLikedPosts",
  "getUsersBookmarks",
  "getUsersFollowers",
  "getUsersFollowing",
  "followUser",
  "unfollowUser",
  "getUsersMuting",
  "muteUser",
  "unmuteUser",
  "getUsersBlocking",
  "likePost",
  "unlikePost",
  "repostPost",
  "unrepostPost",
  "createUsersBookmark",
  "deleteUsersBookmark",
  "getListsById",
  "getListsPosts",
  "getListsMembers",
  "getListsFollowers",
  "articleCreateDraft",
  "createLists",
  "updateLists",
  "deleteLists",
  "addListsMember",
  "removeListsMemberByUserId",
  "followList",
  "unfollowList",
  "pinList",
  "getUsersOwnedLists",
  "getUsersListMemberships",
  "getUsersPinnedLists",
  "getSpacesById",
  "getSpacesByIds",
  "getSpacesByCreatorIds",
  "searchSpaces",
  "getSpacesBuyers",
  "getSpacesPosts",
  "getDirectMessagesEvents",
  "getDirectMessagesEventsById",
  "getDirectMessagesEventsByConversationId",
  "getDirectMessagesEventsByParticipantId",
  "createDirectMessagesConversation",
  "createDirectMessagesByParticipantId",
  "createDirectMessagesByConversationId",
  "deleteDirectMessagesEvents",
  "mediaUpload",
  "initializeMediaUpload",
  "appendMediaUpload",
  "finalizeMediaUpload",
  "getMediaUploadStatus",
  "createMediaMetadata",
  "getUsage",
  "getUsageCredits",
  "getRules",
  "updateRules",
  "getComplianceJobs",
  "getComplianceJobsById",
  "createComplianceJobs",
];

test.each(needed)("%s is served", (id) => {
  expect(handlers[id]).toBeTypeOf("function");
});

test("every other operation of X answers 501 with its name", async () => {
  const me = owner();
  const others = Object.values(operations).filter(({ id }) => handlers[id as OperationId] === undefined);
  expect(others.length).toBeGreaterThan(80);
  for (const { id, method, path } of others) {
    const heard = await me.send(method, path.replace(/\{\w+\}/g, "1"));
    expect(heard.status, `${method} ${path}`).toBe(501);
    expect(heard.body).toMatchObject({
      type: "urn:toolpact:x-sandbox:operation-not-served",
      operation: id,
      status: 501,
    });
  }
});

test("an unknown path answers 404", async () => {
  const me = owner();
  const heard = await me.put(`/2/users/1/pinned_tweet`, { tweet_id: "1" });
  expect(heard.status).toBe(404);
  expect(heard.body).toEqual({
    title: "Not Found",
    detail: "There is nothing at /2/users/1/pinned_tweet.",
    type: "about:blank",
    status: 404,
  });
});
