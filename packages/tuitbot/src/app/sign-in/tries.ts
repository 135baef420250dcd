import { createHash, randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { SessionPlace } from "./sessions.ts";

/** The source of a passphrase attempt. */
export interface TrySource {
  readonly address: string;
  /** The id of a browser in which the person has signed in before, if it is one. */
  readonly device: string | undefined;
}

/**
 * Failed passphrases per minute, per user and per address. There is no limit across all addresses, because strangers
 * could then lock a user out. A known browser has a separate allowance, so others behind the same address cannot lock
 * its user out either.
 */
const MAX_TRIES = { person: 5, address: 20 } as const;

/**
 * Returns the id of a new attempt; undefined if there were too many. It is counted in the database before the check,
 * so parallel attempts, several servers or a restart do not raise the limit.
 */
export async function beginTry(
  { db, account, now }: SessionPlace,
  name: string,
  { address, device }: TrySource,
): Promise<string | undefined> {
  const id = randomUUID();
  const source = device === undefined ? networkOf(address) : `device ${device}`;
  // People type their passphrase into the wrong field.
  const person = createHash("sha256").update(name).digest("hex");
  await db
    .deleteFrom("web_tries")
    .where("account", "=", account)
    .where("at", "<=", now - MINUTE_MS)
    .execute();
  await db.insertInto("web_tries").values({ id, account, address: source, person, at: now }).execute();
  const tries = await db
    .selectFrom("web_tries")
    .select("person")
    .where("account", "=", account)
    .where("address", "=", source)
    .where("at", ">", now - MINUTE_MS)
    .execute();
  const own = tries.filter((one) => one.person === person);
  if (own.length <= MAX_TRIES.person && tries.length <= MAX_TRIES.address) return id;
  await db.deleteFrom("web_tries").where("account", "=", account).where("id", "=", id).execute();
  return undefined;
}

/** The network of one provider customer: an IPv4 address or an IPv6 /64. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [front = "", back] = address.split("%")[0]?.split("::") ?? [];
  const groups = front.split(":").filter((group) => group !== "");
  const end = back?.split(":").filter((group) => group !== "") ?? [];
  const middle =
    back === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - end.length)).fill("0");
  const network = [...groups, ...middle, ...end].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
