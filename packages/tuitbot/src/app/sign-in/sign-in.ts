import type { JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../../config/schema.ts";
import { knownDevice } from "./known-device.ts";
import { checkPassphrase, configuredPerson, listPeople, passphraseRole } from "./people.ts";
import { useSentLink } from "./sent-link.ts";
import type { NewVisitor, RoleOf, SessionPlace, SignInLinks } from "./sessions.ts";

/** As far as the network shows. */
export interface Sender {
  readonly address: string;
  /** On the server's machine. */
  readonly isLocal: boolean;
  /** Set if somebody has signed in there before. */
  readonly device?: string | undefined;
}

export interface SignInContext {
  readonly place: SessionPlace;
  /** Signs links in messages. */
  readonly key: Uint8Array;
  readonly roleOf: RoleOf;
  /** Printed by this process. */
  readonly links: SignInLinks;
  /** Limits simultaneous checks for strangers, each of which takes a thread for a quarter of a second. */
  readonly turns: Turns;
}

type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Runs so many at once; others wait in order. */
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
  // Still configured, with the current role.
  const role = person === undefined ? undefined : await roleOf(person, "sent_link", place);
  return person === undefined || role === undefined
    ? failed("wrong")
    : ok({ person, role, method: "sent_link" });
}

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

/** The printed link, a passphrase, or both. */
export async function signInOptions(
  place: SessionPlace,
  { isLocal }: Sender,
): Promise<readonly ("link" | "passphrase")[]> {
  if (!isLocal) return ["passphrase"];
  return (await listPeople(place)).length > 0 ? ["passphrase", "link"] : ["link"];
}
