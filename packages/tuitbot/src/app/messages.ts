import { failed, ok } from "@toolpact/outcome";
import { errors } from "../errors.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import type { ReplySession } from "./send-reply.ts";

const MAX_MESSAGES = 100;

export interface Message {
  readonly id: string;
  /** Such as `@ana`; null if X named nobody. */
  readonly author: string | null;
  readonly is_own: boolean;
  readonly text: string;
  readonly created_at: string | null;
}

/** Costs money. Nothing is stored. */
export async function readMessages(_: unknown, { callTool, db }: Pick<ReplySession, "callTool" | "db">) {
  const called = await callTool("x_v2_dm_events", { limit: MAX_MESSAGES });
  if (called.ok === false) return failed(called.failure);
  if (called.ok === null)
    return errors.fail("policy_denied_hard_rule", "Reading messages needs an approval.");
  const own = db.names === undefined ? undefined : `@${db.names.username}`;
  const conversations = new Map<string, Message[]>();
  for (const raw of listIn(objectIn(called.result), "messages").map((one) => objectIn(one))) {
    const id = textIn(raw, "conversation_id");
    const text = textIn(raw, "text");
    // Joining or leaving is no message.
    if (id === undefined || text === undefined) continue;
    conversations.set(id, [messageFrom(raw, text, own), ...(conversations.get(id) ?? [])]);
  }
  return ok({
    conversations: [...conversations].map(([id, messages]) => ({
      id,
      messages,
      is_answered: messages.at(-1)?.is_own ?? false,
    })),
  });
}

function messageFrom(raw: ReturnType<typeof objectIn>, text: string, own: string | undefined): Message {
  const author = textIn(raw, "sender") ?? null;
  return {
    id: textIn(raw, "id") ?? "",
    author,
    is_own: author !== null && author === own,
    text,
    created_at: textIn(raw, "created_at") ?? null,
  };
}
