import * as z from "zod";
import type { CallPlan, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { conversationId, mediaIds, personIds } from "../../x/ids.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";
import { somebodyElse } from "../params.ts";
import { byId, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const about = { category: "direct_message", profiles: writeUp } as const;
const id = conversationId.describe("Conversation id such as 123-456, from x_v2_dm_events");
const text = z.string().min(1).max(10_000).describe("Up to 10,000 characters");
const attachments = mediaIds.optional().describe("media_id of one upload, from x_upload_media");

const sent = z.object({ conversation_id: z.string(), event_id: z.string() });

function sentIn(data: XObject): z.input<typeof sent> {
  return {
    conversation_id: textIn(data, "dm_conversation_id") ?? "",
    event_id: textIn(data, "dm_event_id") ?? "",
  };
}

function messageOf({ text, attachments }: { text: string; attachments?: string[] | undefined }) {
  return {
    text,
    ...(attachments && { attachments: attachments.map((media_id) => ({ media_id })) }),
  };
}

function attached({ attachments = [] }: { attachments?: string[] | undefined }): CallPlan {
  return { mediaIds: attachments };
}

export const messageTools: readonly TuitbotTool[] = [
  xReadPage({
    name: "x_v2_dm_events",
    searchWords: "inbox, read my direct messages, my messages, new DMs, conversations",
    title: "List my messages",
    description: "List the direct messages of all your conversations of the last 30 days, newest first.",
    ...about,
    operation: "getDirectMessagesEvents",
    kind: "messages",
    params: {},
    page: [1, 100],
    fields: ["dm_event_fields", "expansions"],
    place: () => ({}),
  }),
  xReadPage({
    name: "x_v2_dm_events_by_conversation",
    searchWords: "messages of a conversation, read a group chat",
    title: "List a conversation",
    description:
      "List the direct messages of one conversation, newest first. Its id is in the answers of x_v2_dm_events.",
    ...about,
    operation: "getDirectMessagesEventsByConversationId",
    kind: "messages",
    ...byId(id),
    page: [1, 100],
    fields: ["dm_event_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_dm_events_by_participant",
    searchWords: "messages with a person, chat with somebody, what did somebody write to me privately",
    title: "List messages with a person",
    description: "List the direct messages between you and one person, newest first.",
    ...about,
    operation: "getDirectMessagesEventsByParticipantId",
    kind: "messages",
    params: { participant_id: somebodyElse },
    people: ["participant_id"],
    page: [1, 100],
    fields: ["dm_event_fields", "expansions"],
    place: ({ participant_id }) => ({ path: { participant_id } }),
  }),
  xWrite({
    name: "x_v2_dm_send_in_conversation",
    searchWords: "reply in a conversation, write to a group chat",
    title: "Message a conversation",
    description:
      "Send a direct message to a conversation that exists, such as a group. To write to one person use x_v2_dm_send_to_participant.",
    ...about,
    effect: "send",
    operation: "createDirectMessagesByConversationId",
    params: { id, text, attachments },
    place: ({ id, ...message }) => ({ path: { dm_conversation_id: id }, body: messageOf(message) }),
    output: sent,
    plan: attached,
    answer: sentIn,
  }),
  xWrite({
    name: "x_v2_dm_send_to_participant",
    searchWords: "send a direct message, DM somebody, direct message, write to a person privately",
    title: "Message a person",
    description: "Send a direct message to one person, who must accept messages from you.",
    ...about,
    effect: "send",
    operation: "createDirectMessagesByParticipantId",
    facts: { olderNames: ["send_dm"] },
    params: { participant_id: somebodyElse, text, attachments },
    people: ["participant_id"],
    place: ({ participant_id, ...message }) => ({ path: { participant_id }, body: messageOf(message) }),
    output: sent,
    plan: attached,
    answer: sentIn,
  }),
  xWrite({
    name: "x_v2_dm_create_group",
    searchWords: "start a group chat, message several people",
    title: "Start a group",
    description: "Create a group conversation of several people with a first message, and return its id.",
    ...about,
    effect: "send",
    operation: "createDirectMessagesConversation",
    params: {
      participant_ids: personIds.describe("2 to 49 user ids, comma-separated: 2244994945,783214"),
      text,
      attachments,
    },
    place: ({ participant_ids, ...message }) => ({
      body: { conversation_type: "Group", participant_ids, message: messageOf(message) },
    }),
    output: sent,
    plan: attached,
    answer: sentIn,
  }),
];
