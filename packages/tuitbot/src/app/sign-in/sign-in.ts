import type { JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../../config/schema.ts";
import { checkPassphrase, configuredPerson, listPeople, passphraseRole } from "./people.ts";
import { useSentLink } from "./sent-link.ts";
import type { NewVisitor, RoleOf, SessionPlace, SignInLinks } from "./sessions.ts";

/** The sender of a request, as far as the network knows. */
export interface Sender {
  readonly address: string;
  /** Whether the browser is on the machine of the server. */
  readonly isLocal: boolean;
}

export interface SignInContext {
  readonly place: SessionPlace;
  /** The key that signs links in messages. */
  readonly key: Uint8Array;
  readonly roleOf: RoleOf;
  /** Links that this process has printed. */
  readonly links: SignInLinks;
}

/** Returns the person that a link or a passphrase signs in. */
export async function signIn(
  { link, name, passphrase }: JsonObject,
  { place, key, roleOf, links }: SignInContext,
  { address, isLocal }: Sender,
): Promise<Outcome<NewVisitor, "wrong" | "too_many_tries">> {
  if (typeof name === "string" && typeof passphrase === "string")
    return checkPassphrase(place, { name, passphrase }, address);
  if (typeof link !== "string") return failed("wrong");
  // Printed links work on this machine only; links sent by message work anywhere.
  const printed = isLocal ? links.use(link) : undefined;
  if (printed !== undefined) return ok({ ...printed, method: "printed_link" });
  const person = await useSentLink(place, key, link);
  // Somebody who is still configured, with their current role.
  const role = person === undefined ? undefined : await roleOf(person, "sent_link", place);
  return person === undefined || role === undefined
    ? failed("wrong")
    : ok({ person, role, method: "sent_link" });
}

/** Returns a function that finds the current role of somebody who is signed in. */
export function currentRole(people: () => Promise<Config["notify"]["people"]>): RoleOf {
  return async (person, method, place) => {
    switch (method) {
      case "printed_link":
        return "owner";
      case "sent_link":
        return (await configuredPerson(place, people, person))?.role;
      case "passphrase":
        return passphraseRole(place, person);
      default:
        return undefined;
    }
  };
}

/** The options to sign in: the link that the server prints, a name and passphrase, or both. */
export async function signInOptions(
  place: SessionPlace,
  { isLocal }: Sender,
): Promise<readonly ("link" | "passphrase")[]> {
  if (!isLocal) return ["passphrase"];
  return (await listPeople(place)).length > 0 ? ["passphrase", "link"] : ["link"];
}
