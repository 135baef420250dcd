import { createHash, randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { SessionPlace } from "./sessions.ts";

export interface TrySource {
  readonly address: string;
  /** Set if the person signed in there before. */
  readonly device: string | undefined;
}

/**
 * Failures per minute. There is no limit across addresses, or strangers could lock users out. A known browser
 * has a separate allowance.
 */
const MAX_TRIES = { person: 5, address: 20 } as const;

/** Undefined after too many. Counted before the check, so parallel attempts or restarts do not raise the limit. */
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

/** One customer's network: an IPv4 address or an IPv6 /64. */
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
