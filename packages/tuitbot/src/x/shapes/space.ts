import * as z from "zod";
import { cleanText } from "../untrusted.ts";
import { nameOf, type People } from "./people.ts";
import { numberIn, textIn, type XObject } from "./x-object.ts";

/** A Space in a few words. With `detailed`, X's own Space. */
export const space = z.looseObject({
  id: z.string(),
  title: z.string().optional(),
  state: z.string().optional(),
  creator: z.string().optional().describe("@name"),
  scheduled_start: z.string().optional(),
  started_at: z.string().optional(),
  participants: z.number().optional(),
});

export function shortSpace(raw: XObject, people: People): z.input<typeof space> {
  return {
    id: textIn(raw, "id") ?? "",
    title: cleanText(textIn(raw, "title") ?? ""),
    state: textIn(raw, "state"),
    creator: nameOf(people, textIn(raw, "creator_id")),
    scheduled_start: textIn(raw, "scheduled_start"),
    started_at: textIn(raw, "started_at"),
    participants: numberIn(raw, "participant_count"),
  };
}
