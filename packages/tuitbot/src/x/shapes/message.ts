import * as z from "zod";
import { cleanText } from "../untrusted.ts";
import { nameOf, type People } from "./people.ts";
import { textIn, type XObject } from "./x-object.ts";

/** A direct message, or somebody joining or leaving. With `detailed`, X's own event. */
export const message = z.looseObject({
  id: z.string(),
  event_type: z.string().optional(),
  conversation_id: z.string().optional(),
  sender: z.string().optional().describe("@name"),
  text: z.string().optional(),
  created_at: z.string().optional(),
});

export function shortMessage(raw: XObject, people: People): z.input<typeof message> {
  const text = textIn(raw, "text");
  return {
    id: textIn(raw, "id") ?? "",
    event_type: textIn(raw, "event_type"),
    conversation_id: textIn(raw, "dm_conversation_id"),
    sender: nameOf(people, textIn(raw, "sender_id")),
    text: text === undefined ? undefined : cleanText(text),
    created_at: textIn(raw, "created_at"),
  };
}
