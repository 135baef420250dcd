import { ok } from "@toolpact/contract";
import { textIn, type XObject } from "../shapes/x-object.ts";
import type { Me, X } from "../x.ts";
import { xFailed } from "../x-errors.ts";
import { askX, type FromX } from "./ask-x.ts";

/** The parts of X that are about who somebody is. */
export type WithMe = Pick<X, "client" | "me">;

export async function signedIn(x: WithMe, signal: AbortSignal): Promise<FromX<Me>> {
  const me = await x.me(signal);
  return me.ok ? me : xFailed(me.failure, "read");
}

/** The id behind what `ids.person` reads: an id as it is, `me` and @names as X knows them. */
export async function idOfPerson(x: WithMe, person: string, signal: AbortSignal): Promise<FromX<string>> {
  if (person === "me") {
    const me = await signedIn(x, signal);
    return me.ok ? ok(me.value.id) : me;
  }
  if (!person.startsWith("@")) return ok(person);
  const found = await askX<XObject>(x.client, "getUsersByUsername", {
    path: { username: person.slice(1) },
    signal,
  });
  return found.ok ? ok(textIn(found.value.data, "id") ?? "") : found;
}
