import { fileURLToPath } from "node:url";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { signedInTuitbot } from "./signed-in-tuitbot.ts";
import { StdioClient } from "./stdio-client.ts";

/** The smallest profile and the default one; the others start as fast as these. */
const PROFILES = ["readonly", "write"] as const;
/** As a multiple of the bare server's start. */
const GOAL_SDK = 0.5;
/** As a multiple of Node's own start. */
const GOAL_NODE = 2;

/**
 * Time from process start to the first answer: two profiles, the MCP SDK alone with one tool, and Node alone. They
 * alternate to share the machine's busy moments. The first start of each fills the caches and does not count.
 */
export async function benchColdStart({
  starts = 8,
}: {
  readonly starts?: number;
} = {}): Promise<readonly Figure[]> {
  await using tuitbot = await signedInTuitbot();
  const bareServer = fileURLToPath(new URL("bare-server.js", import.meta.url));
  const bare = { args: [bareServer], took: [] as number[] };
  const node = { args: [fileURLToPath(new URL("bare-node.js", import.meta.url))], took: [] as number[] };
  const ours = PROFILES.map((profile) => ({ profile, args: tuitbot.serve(profile), took: [] as number[] }));
  for (let round = 0; round <= starts; round++) {
    for (const { args, took } of [node, bare, ...ours]) {
      const ms = await timeToAnswer(args, tuitbot.env);
      if (round > 0) took.push(ms);
    }
  }
  const bareMs = median(bare.took);
  const nodeMs = median(node.took);
  return [
    figure("cold start, Node alone", nodeMs, "ms"),
    figure("cold start, the MCP SDK alone with one tool", bareMs, "ms"),
    ...ours.map(({ profile, took }) => figure(`cold start, ${profile}`, median(took), "ms")),
    ...ours.map(({ profile, took }) =>
      atMost(`cold start, ${profile} against the SDK alone`, median(took) / bareMs, "times", GOAL_SDK),
    ),
    ...ours.map(({ profile, took }) =>
      atMost(`cold start, ${profile} against Node alone`, median(took) / nodeMs, "times", GOAL_NODE),
    ),
  ];
}

async function timeToAnswer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const client = new StdioClient(args, env);
  await client.request("server/discover");
  const took = performance.now() - started;
  await client.close();
  return took;
}

if (import.meta.main) console.table(await benchColdStart());
