import { type Answer, success } from "../http/answer.ts";
import type { Fields, Input } from "../http/input.ts";
import { badValue, forbidden, missing, notFound } from "../http/problems.ts";
import { iso, type JsonDraft, type JsonObject } from "../json.ts";
import { pageMeta, pageOf } from "../render/page.ts";
import { entitiesOf } from "../render/post.ts";
import { withFields, words } from "../render/requested-fields.ts";
import type { View } from "../render/view.ts";
import { refusedMedia } from "../rules/media.ts";
import { type Conversation, type DmEvent, pairConversationId } from "../world/direct-messages.ts";
import { mediaKey } from "../world/media.ts";
import type { Person } from "../world/person.ts";
import type { Readable } from "../world/timeline.ts";
import { startConversation, writeDm } from "../world/write-dm.ts";
import { forUser, type Handlers, type OperationContext, personAt, viewOf } from "./context.ts";

export const directMessages = {
  getDirectMessagesEvents: forUser((input, context, me) =>
    pageOfEvents(context.world.dmsOf.of(me.id), `dms ${me.id}`, input, context, me),
  ),

  getDirectMessagesEventsByConversationId: forUser((input, context, me) =>
    conversationEvents(input.text("id"), input, context, me),
  ),

  getDirectMessagesEventsByParticipantId: forUser((input, context, me) =>
    conversationEvents(pairConversationId(me.id, input.text("participant_id")), input, context, me),
  ),

  getDirectMessagesEventsById: forUser((input, context, me) => {
    const view = viewOf(input, context);
    const event = ownEvent(input.text("event_id"), context, me);
    if (event !== undefined) return view.one(view.things([event], renderDmEvent)[0]);
    return success({
      errors: [notFound({ type: "dm_event", parameter: "event_id", value: input.text("event_id") })],
    });
  }),

  createDirectMessagesByParticipantId: forUser((input, context, me) => {
    const { world } = context;
    const partner = personAt(world, "participant_id", input.text("participant_id"));
    if ("status" in partner) return partner;
    if (partner.id === me.id)
      return badValue("participant_id", partner.id, "You cannot send messages to yourself.");
    if (!takesMessages(context, partner, me)) return forbidden("You cannot send messages to this user.");
    return send(input.body, context, me, () =>
      startConversation(world, [me.id, partner.id], false, context.now),
    );
  }),

  createDirectMessagesByConversationId: forUser((input, context, me) => {
    const value = input.text("dm_conversation_id");
    const conversation = ownConversation(value, context, me);
    if (conversation === undefined)
      return missing({ type: "dm_event", parameter: "dm_conversation_id", value });
    return send(input.body, context, me, () => conversation);
  }),

  createDirectMessagesConversation: forUser((input, context, me) => {
    const { world } = context;
    const ids = input.body.texts("participant_ids") ?? [];
    for (const id of ids) {
      const partner = personAt(world, "participant_ids", id);
      if ("status" in partner) return partner;
      if (partner.id !== me.id && !takesMessages(context, partner, me))
        return forbidden("You cannot send messages to one or more of these users.");
    }
    const members = [...new Set([me.id, ...ids])];
    return send(input.body.object("message"), context, me, () =>
      startConversation(world, members, true, context.now),
    );
  }),

  deleteDirectMessagesEvents: forUser((input, context, me) => {
    const event = ownEvent(input.text("event_id"), context, me);
    if (event === undefined)
      return missing({ type: "dm_event", parameter: "event_id", value: input.text("event_id") });
    event.deletedFor.add(me.id);
    return success({ data: { deleted: true } });
  }),
} satisfies Handlers;

function send(
  message: Fields | undefined,
  context: OperationContext,
  me: Person,
  conversationOf: () => Conversation,
): Answer {
  const text = message?.text("text");
  const mediaIds = (message?.objects("attachments") ?? []).flatMap(
    (attachment) => attachment.text("media_id") ?? [],
  );
  if ((text ?? "").trim() === "" && mediaIds.length === 0)
    return badValue("text", text ?? "", "A message needs text or an attachment.");
  if ((text ?? "").length > maxMessageLength)
    return badValue("text", text ?? "", "The text of the message is too long.");
  const refusal =
    mediaIds.length === 0 ? undefined : refusedMedia(context.world, me, mediaIds, "dm", context.now);
  if (refusal !== undefined) return refusal;
  const conversation = conversationOf();
  const event = writeDm(context.world, conversation, { senderId: me.id, text, at: context.now, mediaIds });
  return success({ data: { dm_conversation_id: conversation.id, dm_event_id: event.id } }, 201);
}

const maxMessageLength = 10_000;

function takesMessages({ world }: OperationContext, person: Person, sender: Person): boolean {
  if (world.blocks.has(person.id, sender.id)) return false;
  return person.opensDms || world.follows.has(person.id, sender.id);
}

function ownConversation(id: string, { world }: OperationContext, me: Person): Conversation | undefined {
  const conversation = world.conversations.get(id);
  return conversation?.participantIds.includes(me.id) === true ? conversation : undefined;
}

function ownEvent(id: string, context: OperationContext, me: Person): DmEvent | undefined {
  const event = context.world.dmEvents.get(id);
  if (event === undefined || event.deletedFor.has(me.id)) return undefined;
  return ownConversation(event.conversationId, context, me) === undefined ? undefined : event;
}

function conversationEvents(id: string, input: Input, context: OperationContext, me: Person): Answer {
  const known = ownConversation(id, context, me) !== undefined;
  return pageOfEvents(context.world.dmsIn.of(known ? id : ""), `dms in ${id}`, input, context, me);
}

function pageOfEvents(
  source: Readable,
  scope: string,
  input: Input,
  context: OperationContext,
  me: Person,
): Answer {
  const kinds = input.list("event_types");
  const page = pageOf(source, input, {
    scope,
    accept: (id) => {
      const event = context.world.dmEvents.get(id);
      return (
        event !== undefined &&
        !event.deletedFor.has(me.id) &&
        (kinds.length === 0 || kinds.includes(event.kind))
      );
    },
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, context);
  const events = page.items.flatMap((id) => context.world.dmEvents.get(id) ?? []);
  return view.list(view.things(events, renderDmEvent), pageMeta(page));
}

function renderDmEvent(event: DmEvent, view: View): JsonObject {
  const names = words[view.requested.vocabulary];
  const mediaKeys = event.mediaIds.flatMap((id) => view.world.media.get(id) ?? []).map(mediaKey);
  const attachments = mediaKeys.length === 0 ? undefined : { media_keys: mediaKeys };
  const shared = event.sharedPostIds.length === 0 ? undefined : event.sharedPostIds.map((id) => ({ id }));
  const defaults: JsonDraft = { id: event.id, event_type: event.kind };
  if (event.text !== undefined) defaults.text = event.text;
  const out: JsonDraft = {
    ...withFields(defaults, view.requested.dmEvents, {
      attachments,
      created_at: iso(event.at),
      dm_conversation_id: event.conversationId,
      entities: event.entities === undefined ? undefined : entitiesOf(event.entities),
      participant_ids: event.kind === "MessageCreate" ? undefined : event.participantIds,
      sender_id: event.senderId,
    }),
  };
  if (view.requested.dmEvents.includes("referenced_posts") && shared !== undefined)
    out[names.referenced] = shared;
  if (view.wants("sender_id")) {
    out.sender_id = event.senderId;
    view.includePerson(event.senderId);
  }
  if (view.wants("participant_ids") && event.kind !== "MessageCreate") {
    out.participant_ids = event.participantIds;
    for (const id of event.participantIds) view.includePerson(id);
  }
  if (view.wants("attachments.media_keys") && attachments !== undefined) {
    out.attachments = attachments;
    for (const id of event.mediaIds) view.includeMedia(id);
  }
  if (view.wants("referenced_posts") && shared !== undefined) {
    out[names.referenced] = shared;
    for (const { id } of shared) view.includePost(id, names.referenced);
  }
  return out;
}
