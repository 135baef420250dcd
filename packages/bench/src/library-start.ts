import { fileURLToPath } from "node:url";
import { build } from "../../../scripts/build.ts";
import { packages } from "../../../scripts/packages.ts";
import { StdioClient } from "../../tuitbot/bench/stdio-client.ts";
import { atMost, type Figure, figure } from "./figure.ts";
import { median } from "./measure/statistics.ts";

/**
 * From starting the process to its first answer, its list and its first call: a server with one tool on the library as it is
 * installed, against one on the MCP SDK alone. Neither is bundled, and neither has a compile cache. They take turns.
 */
export async function benchLibraryStart({ starts = 20 } = {}): Promise<readonly Figure[]> {
  const needed = new Set(["@toolpact/contract", ...dependenciesOf("@toolpact/contract")]);
  await build(({ name }) => needed.has(name));
  const servers = {
    library: fileURLToPath(new URL("servers/library-server.js", import.meta.url)),
    sdk: fileURLToPath(new URL("../../tuitbot/bench/bare-server.js", import.meta.url)),
  };
  const took = { library: new Moments(), sdk: new Moments() };
  for (let round = 0; round <= starts; round++)
    for (const name of ["library", "sdk"] as const) {
      const times = await startOf(servers[name]);
      if (round > 0) took[name].add(times);
    }
  const ratio = (of: keyof Times) => took.library.median(of) / took.sdk.median(of);
  return [
    figure("the library unbundled, first answer", took.library.median("answer"), "ms"),
    atMost("the library unbundled against the SDK alone, first answer", ratio("answer"), "times", 1),
    figure("the library unbundled against the SDK alone, with the first list", ratio("list"), "times"),
    figure("the library unbundled against the SDK alone, with the first call", ratio("call"), "times"),
  ];
}

/** Since the process was started. */
interface Times {
  readonly answer: number;
  readonly list: number;
  readonly call: number;
}

class Moments {
  private readonly all: Times[] = [];

  add(times: Times): void {
    this.all.push(times);
  }

  median(of: keyof Times): number {
    return median(this.all.map((times) => times[of]));
  }
}

async function startOf(server: string): Promise<Times> {
  const started = performance.now();
  const client = new StdioClient([server], { PATH: process.env.PATH, HOME: process.env.HOME });
  const after = async (method: string, params?: object) => {
    await client.request(method, params);
    return performance.now() - started;
  };
  const answer = await after("server/discover");
  const list = await after("tools/list");
  const call = await after("tools/call", { name: "get_post", arguments: { id: "1" } });
  await client.close();
  return { answer, list, call };
}

function dependenciesOf(name: string): readonly string[] {
  const { dependencies = [] } = packages().find((one) => one.name === name) ?? {};
  return dependencies.flatMap((one) => [one, ...dependenciesOf(one)]);
}

if (import.meta.main) console.table(await benchLibraryStart());
