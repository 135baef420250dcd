import type { Entities } from "./entities.ts";

/** A conversation between two people (`lower-higher` id) or a group (with a generated id). */
export interface Conversation {
  readonly id: string;
  readonly group: boolean;
  readonly participantIds: string[];
}

export interface DmEvent {
  readonly id: string;
  readonly conversationId: string;
  readonly kind: "MessageCreate" | "ParticipantsJoin" | "ParticipantsLeave";
  readonly senderId: string;
  readonly at: number;
  readonly text: string | undefined;
  readonly entities: Entities | undefined;
  readonly mediaIds: readonly string[];
  readonly sharedPostIds: readonly string[];
  /** Who joined or left. */
  readonly participantIds: readonly string[];
  /** Deleting hides a message for that person only. */
  readonly deletedFor: Set<string>;
}

export function pairConversationId(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? `${a}-${b}` : `${b}-${a}`;
}
