import * as z from "zod";
import { cleanText } from "../untrusted.ts";
import { nameOf, type People } from "./people.ts";
import { flagIn, numberIn, textIn, type XObject } from "./x-object.ts";

/** A list of people in a few words. With `detailed`, X's own list. */
export const list = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  owner: z.string().optional().describe("@name"),
  members: z.number().optional(),
  followers: z.number().optional(),
  private: z.boolean().optional(),
});

export function shortList(raw: XObject, people: People): z.input<typeof list> {
  return {
    id: textIn(raw, "id") ?? "",
    name: cleanText(textIn(raw, "name") ?? ""),
    description: cleanText(textIn(raw, "description") ?? ""),
    owner: nameOf(people, textIn(raw, "owner_id")),
    members: numberIn(raw, "member_count"),
    followers: numberIn(raw, "follower_count"),
    private: flagIn(raw, "private"),
  };
}
