import type { JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../../config/schema.ts";
import { knownDevice } from "./known-device.ts";
import { checkPassphrase, configuredPerson, listPeople, passphraseRole } from "./people.ts";
import { useSentLink } from "./sent-link.ts";
import type { NewVisitor, RoleOf, SessionPlace, SignInLinks } from "./sessions.ts";

/** The sender of a request, as far as the network reveals it. */
export interface Sender {
  readonly address: string;
  /** Whether the browser is on the machine of the server. */
  readonly isLocal: boolean;
  /** The cookie of a browser in which somebody has signed in before. */
  readonly device?: string | undefined;
}

export interface SignInContext {
  readonly place: SessionPlace;
  /** The key that signs links in messages. */
  readonly key: Uint8Array;
  readonly roleOf: RoleOf;
  /** Links that this process has printed. */
  readonly links: SignInLinks;
  /** Limits how many passphrases of strangers are checked at once: each takes a thread for a quarter of a second. */
  readonly turns: Turns;
}

type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Returns a function that runs so many pieces of work at once; others wait, in their order. */
export function newTurns(most: number): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Returns the person that a link or a passphrase signs in. */
export async function signIn(
  { link, name, passphrase }: JsonObject,
  { place, key, roleOf, links, turns }: SignInContext,
  { address, isLocal, device: cookie }: Sender,
): Promise<Outcome<NewVisitor, "wrong" | "too_many_tries">> {
  if (typeof name === "string" && typeof passphrase === "string") {
    const device = knownDevice(key, { account: place.account, person: name }, cookie);
    const check = () => checkPassphrase(place, { name, passphrase }, { address, device });
    return device === undefined ? turns(check) : check();
  }
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
