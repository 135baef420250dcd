import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { isWorkflowProfile, type Profile, profiles } from "../src/profiles.ts";
import { postingEnv } from "./posting-env.ts";
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

/** Tokens a model gets from a list, estimated at four bytes of name, description and input schema per token. */
const TOKEN_GOALS = { everyday: 4_000, write: 9_000 } as const;
const ANSWER_GOAL = 330;

/** How long the list of tools is on the wire, without and with output schemas, and what a model is given. */
export async function benchListBytes(): Promise<readonly Figure[]> {
  await using tuitbot = await signedInTuitbot();
  const rows: Figure[] = [];
  const whole = (profile: Profile) => [
    ...tuitbot.serve(profile),
    ...(isWorkflowProfile(profile) ? ["--list", "all"] : []),
  ];
  for (const profile of profiles) {
    const inputsOnly = await bytesOf([...whole(profile), "--no-output-schemas"]);
    rows.push(atMost(`tools/list, ${profile}, without output schemas`, inputsOnly, "bytes", GOALS[profile]));
    rows.push(figure(`tools/list, ${profile}`, await bytesOf(whole(profile)), "bytes"));
  }
  for (const [list, goal] of Object.entries(TOKEN_GOALS)) {
    const client = new StdioClient(
      [...tuitbot.serve("write"), "--list", list === "write" ? "all" : list],
      tuitbot.env,
    );
    const { result } = await client.request("tools/list");
    await client.close();
    rows.push(atMost(`tools/list, ${list}, to a model`, tokensOf(result.tools), "tokens", goal));
  }
  const posting = new StdioClient(tuitbot.serve("write"), postingEnv(tuitbot.env));
  const post = { name: "x_post_tweet", arguments: { text: "One post" } };
  const { result } = await posting.request("tools/call", post);
  await posting.close();
  const answer = Buffer.byteLength(JSON.stringify(result.structuredContent));
  rows.push(atMost("a post's answer, as structured content", answer, "bytes", ANSWER_GOAL));
  return rows;

  async function bytesOf(serve: readonly string[]): Promise<number> {
    const client = new StdioClient(serve, tuitbot.env);
    const { bytes } = await client.request("tools/list");
    await client.close();
    return bytes;
  }
}

/** `tools` is what the protocol says. */
function tokensOf(tools: unknown): number {
  const given = (tools as { name: string; description: string; inputSchema: object }[]).map(
    ({ name, description, inputSchema }) => ({ name, description, inputSchema }),
  );
  return Math.ceil(Buffer.byteLength(JSON.stringify(given)) / 4);
}

if (import.meta.main) console.table(await benchListBytes());
