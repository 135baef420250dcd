import { type Conversation, type DmEvent, pairConversationId } from "./direct-messages.ts";
import { type Entities, entitiesOf } from "./entities.ts";
import type { World } from "./world.ts";

/** Two people, or a group whose members join with an event. */
export function startConversation(
  world: World,
  memberIds: readonly string[],
  group: boolean,
  at: number,
): Conversation {
  const [first = "", second = ""] = memberIds;
  const id = group ? world.messageIdAt(at) : pairConversationId(first, second);
  const known = world.conversations.get(id);
  if (known !== undefined) return known;
  const conversation: Conversation = { id, group, participantIds: [...memberIds] };
  world.conversations.set(id, conversation);
  if (group)
    addEvent(world, conversation, {
      kind: "ParticipantsJoin",
      senderId: first,
      at,
      participantIds: memberIds,
    });
  return conversation;
}

export interface DmDraft {
  readonly senderId: string;
  readonly text: string | undefined;
  readonly at: number;
  readonly mediaIds?: readonly string[];
}

export function writeDm(world: World, conversation: Conversation, draft: DmDraft): DmEvent {
  return addEvent(world, conversation, { kind: "MessageCreate", ...draft });
}

type EventDraft = Pick<DmEvent, "kind" | "senderId" | "at"> &
  Partial<Pick<DmEvent, "text" | "mediaIds" | "participantIds">>;

function addEvent(world: World, conversation: Conversation, draft: EventDraft): DmEvent {
  const entities = draft.text === undefined ? undefined : entitiesOf(world, draft.text);
  const event: DmEvent = {
    id: world.messageIdAt(draft.at),
    conversationId: conversation.id,
    kind: draft.kind,
    senderId: draft.senderId,
    at: draft.at,
    text: draft.text,
    entities,
    mediaIds: draft.mediaIds ?? [],
    sharedPostIds: entities === undefined ? [] : postsLinkedIn(entities),
    participantIds: draft.participantIds ?? [],
    deletedFor: new Set(),
  };
  return world.addDm(event, conversation);
}

function postsLinkedIn({ urls }: Entities): string[] {
  return urls.flatMap(
    ({ target }) => /^https?:\/\/(?:x|twitter)\.com\/\w+\/status\/(\d{1,19})/i.exec(target)?.[1] ?? [],
  );
}
