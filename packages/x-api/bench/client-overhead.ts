import { once } from "node:events";
import { createServer } from "node:http";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { ok } from "@toolpact/outcome";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { median } from "../../bench/src/measure/statistics.ts";
import { createXClient } from "../src/index.ts";

export interface ClientOverheadOptions {
  readonly calls?: number;
  readonly warmUp?: number;
}

/**
 * What a call through the client costs beyond a bare `fetch` of the same page of posts. The server is a thread of its
 * own on loopback; the two take turns, so that whatever the machine does hits both.
 */
export async function benchClientOverhead(options: ClientOverheadOptions = {}): Promise<readonly Figure[]> {
  const { calls = 6000, warmUp = 3000 } = options;
  const server = new Worker(new URL(import.meta.url));
  try {
    const [port] = await once(server, "message");
    const baseUrl = `http://127.0.0.1:${port}`;
    const bare = () => readWithFetch(baseUrl);
    const client = readerWithClient(baseUrl);
    const times = { bare: [] as number[], client: [] as number[] };
    for (let i = 0; i < warmUp + calls; i += 1) {
      // Who goes first changes each time.
      const [first, second] = i % 2 === 0 ? (["bare", "client"] as const) : (["client", "bare"] as const);
      for (const who of [first, second]) {
        const took = await timed(who === "bare" ? bare : client);
        if (i >= warmUp) times[who].push(took);
      }
    }
    const [bareUs, clientUs] = [median(times.bare), median(times.client)];
    return [
      figure("x-api: bare fetch p50", bareUs, "µs"),
      figure("x-api: client call p50", clientUs, "µs"),
      atMost("x-api: client against bare fetch, p50", clientUs / bareUs, "times", GOAL),
    ];
  } finally {
    await server.terminate();
  }
}

const GOAL = 1.15;

async function readWithFetch(baseUrl: string): Promise<void> {
  const url = `${baseUrl}/2/users/12/tweets?max_results=10&tweet.fields=created_at%2Cauthor_id`;
  const headers = { accept: "application/json", "user-agent": "bare", authorization: "Bearer token" };
  const response = await fetch(url, { headers });
  await response.json();
}

function readerWithClient(baseUrl: string): () => Promise<void> {
  const token = async () => ok("token");
  const client = createXClient({ baseUrl, tokens: { userToken: token, appToken: token, rejected: token } });
  return async () => {
    const query = { max_results: 10, "tweet.fields": ["created_at", "author_id"] };
    const page = await client.call("getUsersPosts", { path: { id: "12" }, query });
    if (!page.ok) throw new Error(page.failure.message);
  };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1000;
}

function serve(): void {
  const data = Array.from({ length: 10 }, (_, i) => ({
    id: `180000000000000000${i}`,
    author_id: "12",
    created_at: "2026-01-31T12:00:00.000Z",
    text: "A post of ordinary length, so that the page is about as long as a page of posts is.",
  }));
  const body = JSON.stringify({
    data,
    meta: { result_count: data.length, next_token: "7140dibdnow9c7btw423x5ge" },
  });
  const server = createServer((_, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "x-rate-limit-limit": "900",
      "x-rate-limit-remaining": "899",
      "x-rate-limit-reset": "4102444800",
      "x-transaction-id": "a1b2c3d4e5f60718",
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === "object" ? address?.port : undefined);
  });
}

if (!isMainThread) serve();
else if (import.meta.main) console.table(await benchClientOverhead());
