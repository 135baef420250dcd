import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect as openSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Sandbox } from "@toolpact/x-sandbox";
import pg from "pg";
import { cleanEnv, type Envelope, tuitbotCommand } from "../live-server.ts";
import { newSchema, startOwnPostgres } from "../postgres/server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { postedBy } from "../storage/world.ts";
import { oneOf, randomFrom } from "./weather.ts";

export interface KillsResult {
  /** How often the server ended by itself. */
  readonly exits: number;
  readonly doubled: readonly string[];
  /** Posts that were reported and are not there, or that were never answered. */
  readonly lost: readonly string[];
  /** Answers other than a success, with how often they came. */
  readonly refusals: Readonly<Record<string, number>>;
}

/**
 * One server that lives on while its PostgreSQL, which waits for the disk, is killed or its connections are lost
 * `rounds` times, each time with calls under way. A call without a success is made again later.
 */
export async function postgresKills(rounds: number, seed: number): Promise<KillsResult> {
  const random = randomFrom(seed, "postgres kills");
  const postgres = await startOwnPostgres();
  const proxy = await proxyTo(Number(new URL(postgres.url).port));
  const home = await mkdtemp(join(tmpdir(), "tuitbot-kills-"));
  const sandbox = new Sandbox({
    seed,
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  const url = new URL(await newSchema(postgres.url));
  url.port = String(proxy.port);
  const server = await serve(home, { ...(await signedInEnv(home, sandbox)), TUITBOT_STORAGE__URL: url.href });
  const refusals: Record<string, number> = {};
  const done: string[] = [];
  const lost: string[] = [];

  async function post(text: string): Promise<boolean> {
    const { success, error } = await server.call("x_post_tweet", { text, idempotency_key: text });
    if (success) done.push(text);
    else {
      const name = `${error?.code} ${error?.reason ?? ""} ${error?.retryable ? "retryable" : ""}`.trim();
      refusals[name] = (refusals[name] ?? 0) + 1;
    }
    return success;
  }

  try {
    await post("before");
    for (let round = 0; round < rounds; round++) {
      const texts = [1, 2, 3].map((call) => `round ${round} call ${call}`);
      const trouble = oneOf(random, [postgres.crash, () => endBackends(postgres.url), proxy.drop]);
      const calls = texts.map((text) => post(text));
      await setTimeout(random() * 60);
      await trouble();
      const answers = await Promise.all(calls);
      let open = texts.filter((_, index) => !answers[index]);
      for (let tries = 0; open.length > 0 && tries < 6; tries++) {
        server.letTimePass();
        sandbox.clock.advance(61_000);
        const again: string[] = [];
        for (const text of open) if (!(await post(text))) again.push(text);
        open = again;
      }
      lost.push(...open);
    }
    const counts = done.map((text) => ({
      text,
      count: postedBy(sandbox).filter((one) => one.text === text).length,
    }));
    return {
      exits: server.exits(),
      doubled: counts.filter(({ count }) => count > 1).map(({ text }) => text),
      lost: [...lost, ...counts.filter(({ count }) => count < 1).map(({ text }) => text)],
      refusals,
    };
  } finally {
    await server.close();
    await sandbox.close();
    proxy.close();
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function serve(home: string, env: NodeJS.ProcessEnv) {
  const client = new Client({ name: "kills", version: "1" });
  const transport = new StdioClientTransport({
    command: tuitbotCommand.command,
    args: [
      "--import",
      new URL("./storage-later.ts", import.meta.url).href,
      ...tuitbotCommand.args,
      ...["mcp", "serve", "--profile", "write"],
    ],
    env: cleanEnv(home, {
      ...env,
      TUITBOT_APPROVAL_MODE: "false",
      TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
      TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "1000",
    }),
    stderr: "ignore",
  });
  let exits = 0;
  let isClosing = false;
  client.onclose = () => {
    if (!isClosing) exits += 1;
  };
  await client.connect(transport);
  return {
    exits: () => exits,
    async call(tool: string, args: Record<string, unknown>): Promise<Envelope> {
      const { structuredContent } = await client.callTool({ name: tool, arguments: args });
      // Every answer of this server is the envelope.
      return structuredContent as unknown as Envelope;
    },
    letTimePass: () => process.kill(transport.pid ?? 0, "SIGUSR2"),
    async close() {
      isClosing = true;
      await client.close();
    },
  };
}

async function endBackends(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  await client.end();
}

/** Passes everything on to a port of this machine, until its connections are dropped. */
async function proxyTo(port: number) {
  const sockets = new Set<Socket>();
  const drop = async () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer((near) => {
    const far = openSocket(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy does not listen.");
  return {
    port: address.port,
    drop,
    close() {
      void drop();
      server.close();
    },
  };
}
