import * as z from "zod";
import { cleanText } from "../untrusted.ts";
import { countIn, flagIn, numberIn, objectIn, textIn, type XObject } from "./x-object.ts";

/** With `detailed`, X's own user. */
export const user = z.looseObject({
  id: z.string(),
  username: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  followers: z.number().optional(),
  following: z.number().optional(),
  posts: z.number().optional(),
  protected: z.boolean().optional(),
});

export function shortUser(raw: XObject): z.input<typeof user> {
  const metrics = objectIn(raw, "public_metrics");
  return {
    id: textIn(raw, "id") ?? "",
    username: textIn(raw, "username"),
    name: cleanText(textIn(raw, "name") ?? ""),
    description: cleanText(textIn(raw, "description") ?? ""),
    followers: numberIn(metrics, "followers_count"),
    following: numberIn(metrics, "following_count"),
    posts: countIn(metrics, "posts"),
    // Only if true.
    protected: flagIn(raw, "protected") || undefined,
  };
}

/** Included in an answer, by id. */
export type People = ReadonlyMap<string, XObject>;

export function peopleOf(includes: Readonly<Record<string, readonly unknown[]>>): People {
  return new Map(
    (includes.users ?? []).map((one) => {
      const raw = objectIn(one);
      return [textIn(raw, "id") ?? "", raw];
    }),
  );
}

/** An @name, or else the id. */
export function nameOf(people: People, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const username = textIn(people.get(id) ?? {}, "username");
  return username === undefined ? id : `@${username}`;
}
