import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { type Profile, profiles } from "../src/profiles.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/**
 * In bytes of the answer's line, without output schemas: names, descriptions and input schemas are what a client
 * gives its model in each conversation.
 */
const GOALS: Partial<Record<Profile, number>> = {
  readonly: 8_000,
  "api-readonly": 14_000,
  "utility-write": 42_000,
};

/** How long the list of tools is on the wire, without and with output schemas. */
export async function benchListBytes(): Promise<readonly Figure[]> {
  await using tuitbot = await signedInTuitbot();
  const rows: Figure[] = [];
  for (const profile of profiles) {
    const inputsOnly = await bytesOf([...tuitbot.serve(profile), "--no-output-schemas"]);
    rows.push(atMost(`tools/list, ${profile}, without output schemas`, inputsOnly, "bytes", GOALS[profile]));
    rows.push(figure(`tools/list, ${profile}`, await bytesOf(tuitbot.serve(profile)), "bytes"));
  }
  return rows;

  async function bytesOf(serve: readonly string[]): Promise<number> {
    const client = new StdioClient(serve, tuitbot.env);
    const { bytes } = await client.request("tools/list");
    await client.close();
    return bytes;
  }
}

if (import.meta.main) console.table(await benchListBytes());
