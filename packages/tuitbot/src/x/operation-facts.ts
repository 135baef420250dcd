import type { OperationId } from "@toolpact/x-api";
import { textIn, type XObject } from "./shapes/x-object.ts";

/** One request as a rule sees it. */
export interface SentRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly body: XObject;
}

/** What an operation brings about, or undoes. */
export interface OperationFacts {
  readonly makes?: (request: SentRequest, data: XObject) => string | undefined;
  readonly unmakes?: (request: SentRequest) => string | undefined;
}

/** Undefined for operations that nothing undoes. */
export function factsOf(operation: string | null): OperationFacts {
  return (operation !== null && FACTS[operation as OperationId]) || {};
}

/** Requests that neither publish nor change anything anybody sees: files that X forgets unless a post uses them. */
export function isPreparation(operation: string | undefined): boolean {
  return PREPARATIONS.has(operation ?? "");
}

const PREPARATIONS: ReadonlySet<string> = new Set<OperationId>([
  "mediaUpload",
  "initializeMediaUpload",
  "appendMediaUpload",
  "finalizeMediaUpload",
  "chatMediaUploadInitialize",
  "chatMediaUploadAppend",
  "chatMediaUploadFinalize",
]);

const FACTS: Partial<Readonly<Record<OperationId, OperationFacts>>> = {
  createPosts: { makes: (_, data) => named("post", textIn(data, "id")) },
  deletePosts: { unmakes: ({ path }) => named("post", path.id) },
  ...pair("like", ["likePost", "tweet_id"], ["unlikePost", "tweet_id"]),
  ...pair("repost", ["repostPost", "tweet_id"], ["unrepostPost", "source_tweet_id"]),
  ...pair("bookmark", ["createUsersBookmark", "tweet_id"], ["deleteUsersBookmark", "tweet_id"]),
  ...pair("follow", ["followUser", "target_user_id"], ["unfollowUser", "target_user_id"]),
  ...pair("mute", ["muteUser", "target_user_id"], ["unmuteUser", "target_user_id"]),
  ...pair("list_follow", ["followList", "list_id"], ["unfollowList", "list_id"]),
  ...pair("list_pin", ["pinList", "list_id"], ["unpinList", "list_id"]),
  addListsMember: { makes: ({ path, body }) => named("list_member", path.id, textIn(body, "user_id")) },
  removeListsMemberByUserId: { unmakes: ({ path }) => named("list_member", path.id, path.user_id) },
  hidePostsReply: {
    makes: ({ path, body }) => (body.hidden === false ? undefined : named("hidden", path.tweet_id)),
    unmakes: ({ path, body }) => (body.hidden === false ? named("hidden", path.tweet_id) : undefined),
  },
  createLists: { makes: (_, data) => named("list", textIn(data, "id")) },
  deleteLists: { unmakes: ({ path }) => named("list", path.id) },
  createDirectMessagesByParticipantId: { makes: (_, data) => named("dm", textIn(data, "dm_event_id")) },
  createDirectMessagesByConversationId: { makes: (_, data) => named("dm", textIn(data, "dm_event_id")) },
  createDirectMessagesConversation: { makes: (_, data) => named("dm", textIn(data, "dm_event_id")) },
  deleteDirectMessagesEvents: { unmakes: ({ path }) => named("dm", path.event_id) },
};

/** A mark that one operation sets, by a field of its body, and another takes back, by a parameter of its path. */
function pair(
  mark: string,
  [set, field]: readonly [OperationId, string],
  [undo, parameter]: readonly [OperationId, string],
): Partial<Record<OperationId, OperationFacts>> {
  return {
    [set]: { makes: ({ body }: SentRequest) => named(mark, textIn(body, field)) },
    [undo]: { unmakes: ({ path }: SentRequest) => named(mark, path[parameter]) },
  };
}

function named(kind: string, ...ids: readonly (string | undefined)[]): string | undefined {
  return ids.includes(undefined) ? undefined : `${kind}:${ids.join(":")}`;
}
