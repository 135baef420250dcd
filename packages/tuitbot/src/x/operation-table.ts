import type { Action, OperationId } from "@toolpact/x-api";
import { objectIn, textIn, type XObject } from "./shapes/x-object.ts";

export const policyCategories = [
  "write",
  "thread",
  "engage",
  "direct_message",
  "list",
  "moderation",
  "media",
  "delete",
  "universal_request",
  "enterprise_admin",
  "ads",
] as const;

export type PolicyCategory = (typeof policyCategories)[number];

export const engagements = ["like", "repost", "bookmark", "follow", "reply", "quote"] as const;

export type Engagement = (typeof engagements)[number];

/**
 * For a repeated call: `day` gets the first answer for 24 hours, `until_undone` until its effect is undone,
 * `moments` is rejected for 30 seconds, `free` is a new call.
 */
export type Repeat = "day" | "until_undone" | "moments" | "free";

export interface SentRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly body: XObject;
}

/** With the reason. */
export interface NoWay {
  readonly because: string;
}

/** After its answer was lost. */
export type ReadBackRule =
  /** The account's newest posts. */
  | { readonly look: "own_posts"; readonly for: "post" | "repost" }
  /** Deleted posts are missing. */
  | { readonly look: "post" }
  /** On the operation's first page, or on none if `isSet` is false. X answers with `flag`. */
  | {
      readonly look: "list";
      readonly operation: OperationId;
      readonly flag: string;
      readonly isSet: boolean;
    }
  /** By the person's `connection_status`. */
  | {
      readonly look: "connection";
      readonly statuses: readonly string[];
      readonly flag: string;
      readonly isSet: boolean;
    }
  /** The account's own lists. */
  | { readonly look: "owned_lists" }
  /** The newest messages of this operation. */
  | {
      readonly look: "messages";
      readonly operation: OperationId;
      readonly path: (request: SentRequest) => Readonly<Record<string, string>>;
      readonly message: (request: SentRequest) => XObject;
    }
  /** Nothing shows it. If `isRepeatable`, repeating changes nothing more. */
  | ({ readonly look: "nowhere"; readonly isRepeatable: boolean } & NoWay);

/** As guards see it. */
export interface OperationRow {
  readonly category: PolicyCategory;
  readonly engagement?: Engagement;
  readonly repeat: Repeat;
  /** Under the account's name. */
  readonly publishes?: "post" | "repost";
  /** `availabilityOf` tells who may do it. */
  readonly action?: Action;
  /** Or why there is none. */
  readonly undo: OperationId | NoWay;
  readonly readBack: ReadBackRule;
  /** Then exists, such as `like:123`. */
  readonly makes?: (request: SentRequest, data: XObject) => string | undefined;
  /** Then no longer exists. */
  readonly unmakes?: (request: SentRequest) => string | undefined;
  /** An invisible upload, which X forgets if unused. It needs no receipt. */
  readonly isPreparation?: true;
  /** Only the account sees it, and it can be undone, so approval mode ignores it. */
  readonly isPrivate?: true;
}

/** Undefined for reads, and outside X's table. */
export function operationRow(operation: string | null | undefined): OperationRow | undefined {
  if (typeof operation !== "string" || !Object.hasOwn(operationTable, operation)) return undefined;
  return operationTable[operation as OperationId];
}

type IdIn = (request: SentRequest, data: XObject) => string | undefined;

const inBody =
  (field: string): IdIn =>
  ({ body }) =>
    textIn(body, field);
const inPath =
  (parameter: string): IdIn =>
  ({ path }) =>
    path[parameter];
const inAnswer =
  (field: string): IdIn =>
  (_, data) =>
    textIn(data, field);

/** Such as `like:123`; undefined if a part is unknown. */
function thing(kind: string, ...ids: readonly IdIn[]) {
  return (request: SentRequest, data: XObject = {}): string | undefined => {
    const parts = ids.map((id) => id(request, data));
    return parts.includes(undefined) ? undefined : [kind, ...parts].join(":");
  };
}

// How an operation is read back.

const listed = (operation: OperationId, flag: string): ReadBackRule => ({
  look: "list",
  operation,
  flag,
  isSet: true,
});
const notListed = (operation: OperationId, flag: string): ReadBackRule => ({
  look: "list",
  operation,
  flag,
  isSet: false,
});
const connected = (flag: string, ...statuses: readonly string[]): ReadBackRule => ({
  look: "connection",
  statuses,
  flag,
  isSet: true,
});
const notConnected = (flag: string, ...statuses: readonly string[]): ReadBackRule => ({
  look: "connection",
  statuses,
  flag,
  isSet: false,
});
const messages = (
  operation: OperationId,
  path: (request: SentRequest) => Readonly<Record<string, string>>,
  message: (request: SentRequest) => XObject = ({ body }) => body,
): ReadBackRule => ({ look: "messages", operation, path, message });

const isRepeatable = (because: string): ReadBackRule => ({ look: "nowhere", isRepeatable: true, because });
const isUnknown = (because: string): ReadBackRule => ({ look: "nowhere", isRepeatable: false, because });

const SAME_END: ReadBackRule = isRepeatable("Sent again it ends in the same state.");
const NO_TRACE: ReadBackRule = isUnknown("X lists nothing that distinguishes this request from another.");
const UPLOAD: ReadBackRule = isRepeatable("X forgets a file that no post uses.");

// Nothing undoes these.

const DELETED: NoWay = { because: "What is deleted cannot be brought back." };
const OVERWRITTEN: NoWay = { because: "X does not keep the former values." };
const NO_OPERATION: NoWay = { because: "X has no operation that takes it back." };
const FORGOTTEN: NoWay = { because: "X forgets a file that no post uses within a day." };
const REOPENED: NoWay = { because: "Its client connects again by itself." };

// Rows that several operations share.

const upload = {
  category: "media",
  repeat: "free",
  undo: FORGOTTEN,
  readBack: UPLOAD,
  isPreparation: true,
} satisfies OperationRow;
const deletion = {
  category: "delete",
  repeat: "free",
  undo: DELETED,
  readBack: SAME_END,
} satisfies OperationRow;
const administration = {
  category: "enterprise_admin",
  repeat: "moments",
  undo: NO_OPERATION,
  readBack: NO_TRACE,
} satisfies OperationRow;
const administrationEnd = {
  category: "enterprise_admin",
  repeat: "free",
  undo: NO_OPERATION,
  readBack: SAME_END,
} satisfies OperationRow;
const chat = {
  category: "direct_message",
  repeat: "moments",
  undo: NO_OPERATION,
  readBack: NO_TRACE,
} satisfies OperationRow;
const writing = {
  category: "write",
  repeat: "day",
  undo: NO_OPERATION,
  readBack: NO_TRACE,
} satisfies OperationRow;

/** A test compares it with X's table. */
export const operationTable: Partial<Readonly<Record<OperationId, OperationRow>>> = {
  // Posts
  createPosts: {
    category: "write",
    repeat: "day",
    publishes: "post",
    undo: "deletePosts",
    readBack: { look: "own_posts", for: "post" },
    makes: thing("post", inAnswer("id")),
  },
  deletePosts: { ...deletion, readBack: { look: "post" }, unmakes: thing("post", inPath("id")) },
  hidePostsReply: {
    category: "moderation",
    repeat: "until_undone",
    undo: "hidePostsReply",
    readBack: SAME_END,
    makes: (request) =>
      request.body.hidden === false ? undefined : thing("hidden", inPath("tweet_id"))(request),
    unmakes: (request) =>
      request.body.hidden === false ? thing("hidden", inPath("tweet_id"))(request) : undefined,
  },
  articleCreateDraft: writing,
  // X announces it by a post.
  articlePublish: { ...writing, publishes: "post" },
  createCommunityNotes: { ...writing, undo: "deleteCommunityNotes" },
  evaluateCommunityNotes: writing,
  deleteCommunityNotes: deletion,

  // Engagement
  likePost: {
    category: "engage",
    engagement: "like",
    repeat: "until_undone",
    action: "like",
    undo: "unlikePost",
    readBack: listed("getUsersLikedPosts", "liked"),
    makes: thing("like", inBody("tweet_id")),
  },
  unlikePost: {
    category: "engage",
    repeat: "free",
    undo: "likePost",
    readBack: notListed("getUsersLikedPosts", "liked"),
    unmakes: thing("like", inPath("tweet_id")),
  },
  repostPost: {
    category: "engage",
    engagement: "repost",
    repeat: "until_undone",
    publishes: "repost",
    undo: "unrepostPost",
    readBack: { look: "own_posts", for: "repost" },
    makes: thing("repost", inBody("tweet_id")),
  },
  unrepostPost: {
    category: "engage",
    repeat: "free",
    undo: "repostPost",
    readBack: SAME_END,
    unmakes: thing("repost", inPath("source_tweet_id")),
  },
  createUsersBookmark: {
    isPrivate: true,
    category: "engage",
    engagement: "bookmark",
    repeat: "until_undone",
    undo: "deleteUsersBookmark",
    readBack: listed("getUsersBookmarks", "bookmarked"),
    makes: thing("bookmark", inBody("tweet_id")),
  },
  deleteUsersBookmark: {
    isPrivate: true,
    category: "engage",
    repeat: "free",
    undo: "createUsersBookmark",
    readBack: notListed("getUsersBookmarks", "bookmarked"),
    unmakes: thing("bookmark", inPath("tweet_id")),
  },
  createUsersBookmarkFolder: { category: "engage", repeat: "day", undo: NO_OPERATION, readBack: NO_TRACE },
  followUser: {
    category: "engage",
    engagement: "follow",
    repeat: "until_undone",
    action: "follow",
    undo: "unfollowUser",
    readBack: connected("following", "following", "follow_request_sent"),
    makes: thing("follow", inBody("target_user_id")),
  },
  unfollowUser: {
    category: "engage",
    repeat: "free",
    undo: "followUser",
    readBack: notConnected("following", "following", "follow_request_sent"),
    unmakes: thing("follow", inPath("target_user_id")),
  },

  // Moderation
  muteUser: {
    isPrivate: true,
    category: "moderation",
    repeat: "until_undone",
    undo: "unmuteUser",
    readBack: connected("muting", "muting"),
    makes: thing("mute", inBody("target_user_id")),
  },
  unmuteUser: {
    isPrivate: true,
    category: "moderation",
    repeat: "free",
    undo: "muteUser",
    readBack: notConnected("muting", "muting"),
    unmakes: thing("mute", inPath("target_user_id")),
  },
  blockUsersDms: { category: "moderation", repeat: "day", undo: "unblockUsersDms", readBack: SAME_END },
  unblockUsersDms: { category: "moderation", repeat: "free", undo: "blockUsersDms", readBack: SAME_END },

  // Lists
  createLists: {
    category: "list",
    repeat: "day",
    undo: "deleteLists",
    readBack: { look: "owned_lists" },
    makes: thing("list", inAnswer("id")),
  },
  updateLists: { category: "list", repeat: "free", undo: OVERWRITTEN, readBack: SAME_END },
  deleteLists: { ...deletion, unmakes: thing("list", inPath("id")) },
  addListsMember: {
    category: "list",
    repeat: "until_undone",
    undo: "removeListsMemberByUserId",
    readBack: isRepeatable("X puts somebody on a list once, however often it is asked."),
    makes: thing("list_member", inPath("id"), inBody("user_id")),
  },
  removeListsMemberByUserId: {
    category: "list",
    repeat: "free",
    undo: "addListsMember",
    readBack: SAME_END,
    unmakes: thing("list_member", inPath("id"), inPath("user_id")),
  },
  followList: {
    category: "list",
    repeat: "until_undone",
    undo: "unfollowList",
    readBack: listed("getUsersFollowedLists", "following"),
    makes: thing("list_follow", inBody("list_id")),
  },
  unfollowList: {
    category: "list",
    repeat: "free",
    undo: "followList",
    readBack: SAME_END,
    unmakes: thing("list_follow", inPath("list_id")),
  },
  pinList: {
    category: "list",
    repeat: "until_undone",
    undo: "unpinList",
    readBack: listed("getUsersPinnedLists", "pinned"),
    makes: thing("list_pin", inBody("list_id")),
  },
  unpinList: {
    category: "list",
    repeat: "free",
    undo: "pinList",
    readBack: SAME_END,
    unmakes: thing("list_pin", inPath("list_id")),
  },

  // Messages
  createDirectMessagesByParticipantId: {
    ...chat,
    undo: "deleteDirectMessagesEvents",
    readBack: messages("getDirectMessagesEventsByParticipantId", ({ path }) => ({
      participant_id: path.participant_id ?? "",
    })),
    makes: thing("dm", inAnswer("dm_event_id")),
  },
  createDirectMessagesByConversationId: {
    ...chat,
    undo: "deleteDirectMessagesEvents",
    readBack: messages("getDirectMessagesEventsByConversationId", ({ path }) => ({
      id: path.dm_conversation_id ?? "",
    })),
    makes: thing("dm", inAnswer("dm_event_id")),
  },
  createDirectMessagesConversation: {
    ...chat,
    undo: "deleteDirectMessagesEvents",
    readBack: messages(
      "getDirectMessagesEvents",
      () => ({}),
      ({ body }) => objectIn(body, "message"),
    ),
    makes: thing("dm", inAnswer("dm_event_id")),
  },
  deleteDirectMessagesEvents: { ...deletion, unmakes: thing("dm", inPath("event_id")) },
  createChatConversation: chat,
  initializeChatGroup: chat,
  addChatGroupMembers: chat,
  addConversationKeys: chat,
  sendChatMessage: { ...chat, undo: "deleteChatMessages" },
  deleteChatMessages: deletion,
  markChatConversationRead: { ...chat, repeat: "free", readBack: SAME_END },
  sendChatTypingIndicator: { ...chat, repeat: "free", readBack: SAME_END },
  addUserPublicKey: writing,

  // Media
  mediaUpload: upload,
  initializeMediaUpload: upload,
  appendMediaUpload: upload,
  finalizeMediaUpload: upload,
  chatMediaUploadInitialize: upload,
  chatMediaUploadAppend: upload,
  chatMediaUploadFinalize: upload,
  // Both change a published post.
  createMediaMetadata: { ...writing, undo: OVERWRITTEN, readBack: SAME_END },
  createMediaSubtitles: { ...writing, undo: "deleteMediaSubtitles", readBack: SAME_END },
  deleteMediaSubtitles: deletion,

  // Broadcasts
  createScheduledBroadcast: { ...writing, undo: "deleteScheduledBroadcast" },
  updateScheduledBroadcast: { ...writing, repeat: "free", undo: OVERWRITTEN, readBack: SAME_END },
  deleteScheduledBroadcast: deletion,
  goLiveScheduledBroadcast: { ...writing, publishes: "post" },
  sendBroadcastChat: { ...writing, undo: "deleteBroadcastChatMessage" },
  deleteBroadcastChatMessage: deletion,
  muteBroadcastChatUser: {
    category: "moderation",
    repeat: "day",
    undo: "unmuteBroadcastChatUser",
    readBack: SAME_END,
  },
  unmuteBroadcastChatUser: {
    category: "moderation",
    repeat: "free",
    undo: "muteBroadcastChatUser",
    readBack: SAME_END,
  },

  // Administration of the app
  createComplianceJobs: administration,
  updateRules: {
    ...administration,
    undo: "updateRules",
    readBack: isRepeatable("X adds a rule once, and deletes it once, however often it is asked."),
  },
  createWebhooks: { ...administration, undo: "deleteWebhooks" },
  validateWebhooks: administrationEnd,
  deleteWebhooks: { ...administrationEnd, undo: "createWebhooks" },
  createWebhookReplayJob: administration,
  createWebhooksStreamLink: { ...administration, undo: "deleteWebhooksStreamLink" },
  deleteWebhooksStreamLink: { ...administrationEnd, undo: "createWebhooksStreamLink" },
  createActivitySubscription: { ...administration, undo: "deleteActivitySubscription" },
  updateActivitySubscription: { ...administrationEnd, undo: OVERWRITTEN },
  deleteActivitySubscription: { ...administrationEnd, undo: "createActivitySubscription" },
  deleteActivitySubscriptionsByIds: { ...administrationEnd, undo: "createActivitySubscription" },
  createAccountActivitySubscription: { ...administration, undo: "deleteAccountActivitySubscription" },
  deleteAccountActivitySubscription: { ...administrationEnd, undo: "createAccountActivitySubscription" },
  deleteAllConnections: { ...administrationEnd, undo: REOPENED },
  deleteConnectionsByUuids: { ...administrationEnd, undo: REOPENED },
  deleteConnectionsByEndpoint: { ...administrationEnd, undo: REOPENED },
};
