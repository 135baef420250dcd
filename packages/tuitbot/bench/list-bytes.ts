import { atMost, type Figure } from "../../bench/src/figure.ts";
import { type Profile, profiles } from "../src/profiles.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** In bytes of the answer's line. Every client pays for them with each conversation. */
const GOALS: Partial<Record<Profile, number>> = {
  readonly: 8_000,
  "api-readonly": 14_000,
  "utility-write": 42_000,
};

/** How long the list of tools is on the wire. */
export async function benchListBytes(): Promise<readonly Figure[]> {
  await using tuitbot = await signedInTuitbot();
  const rows: Figure[] = [];
  for (const profile of profiles) {
    const client = new StdioClient(tuitbot.serve(profile), tuitbot.env);
    const { bytes } = await client.request("tools/list");
    await client.close();
    rows.push(atMost(`tools/list, ${profile}`, bytes, "bytes", GOALS[profile]));
  }
  return rows;
}

if (import.meta.main) console.table(await benchListBytes());
