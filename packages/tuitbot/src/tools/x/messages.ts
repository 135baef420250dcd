import * as z from "zod";
import type { KnownTool, Plan } from "../../mutation/plan.ts";
import { writeUp } from "../../profiles.ts";
import { conversationId, mediaIds, personIds } from "../../x/ids.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";
import { somebodyElse } from "../params.ts";
import { byId, xReadPage } from "./x-read.ts";
import { xWrite } from "./x-write.ts";

const about = { category: "direct_message", profiles: writeUp } as const;
const id = conversationId.describe("Conversation, as x_v2_dm_events shows it");
const text = z.string().min(1).max(10_000).describe("The message");
const attachments = mediaIds.optional().describe("Media id");

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

function attached({ attachments = [] }: { attachments?: string[] | undefined }): Plan {
  return { mediaIds: attachments };
}

export const messageTools: readonly KnownTool[] = [
  xReadPage({
    name: "x_v2_dm_events",
    title: "My messages",
    describe: "Direct messages of all conversations of the last 30 days, newest first.",
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
    title: "Messages of a conversation",
    describe: "Direct messages of one conversation, newest first.",
    ...about,
    operation: "getDirectMessagesEventsByConversationId",
    kind: "messages",
    ...byId(id),
    page: [1, 100],
    fields: ["dm_event_fields", "expansions"],
  }),
  xReadPage({
    name: "x_v2_dm_events_by_participant",
    title: "Messages with a person",
    describe: "Direct messages with one person, newest first.",
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
    title: "Send a message to a conversation",
    describe: "Send a direct message to a conversation that exists.",
    ...about,
    effect: "create",
    operation: "createDirectMessagesByConversationId",
    params: { id, text, attachments },
    place: ({ id, ...message }) => ({ path: { dm_conversation_id: id }, body: messageOf(message) }),
    output: sent,
    plan: attached,
    answer: sentIn,
  }),
  xWrite({
    name: "x_v2_dm_send_to_participant",
    title: "Send a message to a person",
    describe: "Send a direct message to somebody who takes them.",
    ...about,
    effect: "create",
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
    title: "Start a group conversation",
    describe: "Start a conversation of several people with a first message.",
    ...about,
    effect: "create",
    operation: "createDirectMessagesConversation",
    params: {
      participant_ids: personIds.describe("Ids of 2 to 49 people, comma-separated"),
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
