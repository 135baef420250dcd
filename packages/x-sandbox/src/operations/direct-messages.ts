import { type Answer, done } from "../answer.ts";
import type { Fields, Input } from "../gate/input.ts";
import { badValue, forbidden, missing, notFound } from "../problems.ts";
import { renderDmEvent } from "../render/dm-event.ts";
import { pageMeta, pageOf } from "../render/page.ts";
import { refusedMedia } from "../rules/media.ts";
import type { Readable } from "../world/chronicle.ts";
import { type Conversation, type DmEvent, pairConversationId } from "../world/direct-messages.ts";
import type { Person } from "../world/person.ts";
import { startConversation, writeDm } from "../world/write-dm.ts";
import { personAt } from "./about-person.ts";
import { forUser, type Handlers, type Scene, viewOf } from "./scene.ts";

export const directMessages = {
  getDirectMessagesEvents: forUser((input, scene, me) =>
    pageOfEvents(scene.world.dmsOf.of(me.id), `dms ${me.id}`, input, scene, me),
  ),

  getDirectMessagesEventsByConversationId: forUser((input, scene, me) =>
    conversationEvents(input.text("id"), input, scene, me),
  ),

  getDirectMessagesEventsByParticipantId: forUser((input, scene, me) =>
    conversationEvents(pairConversationId(me.id, input.text("participant_id")), input, scene, me),
  ),

  getDirectMessagesEventsById: forUser((input, scene, me) => {
    const view = viewOf(input, scene);
    const event = ownEvent(input.text("event_id"), scene, me);
    if (event !== undefined) return view.one(view.things([event], renderDmEvent)[0]);
    return done({
      errors: [notFound({ type: "dm_event", parameter: "event_id", value: input.text("event_id") })],
    });
  }),

  createDirectMessagesByParticipantId: forUser((input, scene, me) => {
    const { world } = scene;
    const partner = personAt(world, "participant_id", input.text("participant_id"));
    if ("status" in partner) return partner;
    if (partner.id === me.id)
      return badValue("participant_id", partner.id, "You cannot send messages to yourself.");
    if (!takesMessages(scene, partner, me)) return forbidden("You cannot send messages to this user.");
    return send(input.body, scene, me, () => startConversation(world, [me.id, partner.id], false, scene.now));
  }),

  createDirectMessagesByConversationId: forUser((input, scene, me) => {
    const value = input.text("dm_conversation_id");
    const conversation = ownConversation(value, scene, me);
    if (conversation === undefined)
      return missing({ type: "dm_event", parameter: "dm_conversation_id", value });
    return send(input.body, scene, me, () => conversation);
  }),

  createDirectMessagesConversation: forUser((input, scene, me) => {
    const { world } = scene;
    const ids = input.body.texts("participant_ids") ?? [];
    for (const id of ids) {
      const partner = personAt(world, "participant_ids", id);
      if ("status" in partner) return partner;
      if (partner.id !== me.id && !takesMessages(scene, partner, me))
        return forbidden("You cannot send messages to one or more of these users.");
    }
    const members = [...new Set([me.id, ...ids])];
    return send(input.body.object("message"), scene, me, () =>
      startConversation(world, members, true, scene.now),
    );
  }),

  deleteDirectMessagesEvents: forUser((input, scene, me) => {
    const event = ownEvent(input.text("event_id"), scene, me);
    if (event === undefined)
      return missing({ type: "dm_event", parameter: "event_id", value: input.text("event_id") });
    event.deletedFor.add(me.id);
    return done({ data: { deleted: true } });
  }),
} satisfies Handlers;

function send(
  message: Fields | undefined,
  scene: Scene,
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
    mediaIds.length === 0 ? undefined : refusedMedia(scene.world, me, mediaIds, "dm", scene.now);
  if (refusal !== undefined) return refusal;
  const conversation = conversationOf();
  const event = writeDm(scene.world, conversation, { senderId: me.id, text, at: scene.now, mediaIds });
  return done({ data: { dm_conversation_id: conversation.id, dm_event_id: event.id } }, 201);
}

const maxMessageLength = 10_000;

function takesMessages({ world }: Scene, person: Person, sender: Person): boolean {
  if (world.blocks.has(person.id, sender.id)) return false;
  return person.opensDms || world.follows.has(person.id, sender.id);
}

function ownConversation(id: string, { world }: Scene, me: Person): Conversation | undefined {
  const conversation = world.conversations.get(id);
  return conversation?.participantIds.includes(me.id) === true ? conversation : undefined;
}

function ownEvent(id: string, scene: Scene, me: Person): DmEvent | undefined {
  const event = scene.world.dmEvents.get(id);
  if (event === undefined || event.deletedFor.has(me.id)) return undefined;
  return ownConversation(event.conversationId, scene, me) === undefined ? undefined : event;
}

function conversationEvents(id: string, input: Input, scene: Scene, me: Person): Answer {
  const known = ownConversation(id, scene, me) !== undefined;
  return pageOfEvents(scene.world.dmsIn.of(known ? id : ""), `dms in ${id}`, input, scene, me);
}

function pageOfEvents(source: Readable, scope: string, input: Input, scene: Scene, me: Person): Answer {
  const kinds = input.list("event_types");
  const page = pageOf(source, input, {
    scope,
    accept: (id) => {
      const event = scene.world.dmEvents.get(id);
      return (
        event !== undefined &&
        !event.deletedFor.has(me.id) &&
        (kinds.length === 0 || kinds.includes(event.kind))
      );
    },
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, scene);
  const events = page.items.flatMap((id) => scene.world.dmEvents.get(id) ?? []);
  return view.list(view.things(events, renderDmEvent), pageMeta(page));
}
