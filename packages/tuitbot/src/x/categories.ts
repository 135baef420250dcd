import type { Effect } from "@toolpact/contract";
import type { OperationId } from "@toolpact/x-api";

/** What rules and limits can be about. */
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

/** Kinds of engagement that limits can be about. */
export const engagements = ["like", "repost", "bookmark", "follow", "reply", "quote"] as const;

export type Engagement = (typeof engagements)[number];

export interface OperationKind {
  readonly category: PolicyCategory;
  readonly engagement?: Engagement;
}

/** What an operation of X is to the policy. One that is not listed counts as writing. */
export function kindOfOperation(operation: string | undefined, effect: Effect): OperationKind {
  const known = KINDS[operation as OperationId];
  if (known !== undefined) return known;
  return { category: effect === "delete" ? "delete" : "write" };
}

const engage = (engagement: Engagement): OperationKind => ({ category: "engage", engagement });
const of = (category: PolicyCategory): OperationKind => ({ category });

const KINDS: Partial<Readonly<Record<OperationId, OperationKind>>> = {
  createPosts: of("write"),
  articleCreateDraft: of("write"),
  articlePublish: of("write"),
  deletePosts: of("delete"),
  deleteLists: of("delete"),
  deleteDirectMessagesEvents: of("delete"),
  deleteCommunityNotes: of("delete"),
  deleteAllConnections: of("enterprise_admin"),
  likePost: engage("like"),
  unlikePost: of("engage"),
  repostPost: engage("repost"),
  unrepostPost: of("engage"),
  createUsersBookmark: engage("bookmark"),
  deleteUsersBookmark: of("engage"),
  createUsersBookmarkFolder: of("engage"),
  followUser: engage("follow"),
  unfollowUser: of("engage"),
  createDirectMessagesConversation: of("direct_message"),
  createDirectMessagesByParticipantId: of("direct_message"),
  createDirectMessagesByConversationId: of("direct_message"),
  sendChatMessage: of("direct_message"),
  createChatConversation: of("direct_message"),
  blockUsersDms: of("moderation"),
  unblockUsersDms: of("moderation"),
  muteUser: of("moderation"),
  unmuteUser: of("moderation"),
  hidePostsReply: of("moderation"),
  createLists: of("list"),
  updateLists: of("list"),
  addListsMember: of("list"),
  removeListsMemberByUserId: of("list"),
  followList: of("list"),
  unfollowList: of("list"),
  pinList: of("list"),
  unpinList: of("list"),
  mediaUpload: of("media"),
  initializeMediaUpload: of("media"),
  appendMediaUpload: of("media"),
  finalizeMediaUpload: of("media"),
  createComplianceJobs: of("enterprise_admin"),
  updateRules: of("enterprise_admin"),
  createWebhooks: of("enterprise_admin"),
  deleteWebhooks: of("enterprise_admin"),
  validateWebhooks: of("enterprise_admin"),
  createWebhookReplayJob: of("enterprise_admin"),
  createWebhooksStreamLink: of("enterprise_admin"),
  deleteWebhooksStreamLink: of("enterprise_admin"),
  createActivitySubscription: of("enterprise_admin"),
  updateActivitySubscription: of("enterprise_admin"),
  deleteActivitySubscription: of("enterprise_admin"),
  deleteActivitySubscriptionsByIds: of("enterprise_admin"),
  createAccountActivitySubscription: of("enterprise_admin"),
  deleteAccountActivitySubscription: of("enterprise_admin"),
  deleteConnectionsByUuids: of("enterprise_admin"),
  deleteConnectionsByEndpoint: of("enterprise_admin"),
};
