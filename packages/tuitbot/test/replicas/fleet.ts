import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Secret, systemClock, TokenKeeper } from "@toolpact/x-api";
import { cast, knownScopes, Sandbox } from "@toolpact/x-sandbox";
import { freePort } from "../../../../scripts/free-port.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { signInStorage } from "../../src/storage/sign-in-storage.ts";
import { cleanEnv, type Envelope, tuitbotCommand } from "../live-server.ts";
import { newSchema, type OwnPostgres, startOwnPostgres } from "../postgres/server.ts";
import { type ReverseProxy, startProxy } from "./proxy.ts";

const TOKEN = "a-token-of-the-operator";
const KEY = "5a".repeat(32);

/** One replica: a separate process with a separate home folder, on a port that it keeps across restarts. */
export interface Replica {
  readonly port: number;
  readonly home: string;
  readonly start: () => Promise<void>;
  /** Sends the signal and waits for the end; answers with the exit code, or with the signal that ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string>;
  readonly isAlive: () => boolean;
  readonly pid: () => number | undefined;
  /** Its output to stderr. */
  readonly said: () => string;
}

/** PostgreSQL, an X on loopback, replicas and a proxy in front of them. */
export interface Fleet {
  readonly postgres: OwnPostgres;
  readonly sandbox: Sandbox;
  readonly databaseUrl: string;
  readonly replicas: readonly Replica[];
  readonly proxy: ReverseProxy;
  /** The environment of a process that belongs to it, such as a runner, with the home folder of one replica. */
  readonly env: (replica?: Replica) => Record<string, string>;
  readonly stop: () => Promise<void>;
}

/** The accounts of a fleet, apart from the default one. */
export interface FleetAccounts {
  readonly names: readonly string[];
  /** More lines of the table of an account. */
  readonly linesOf?: (name: string) => readonly string[];
}

export async function startFleet(
  count: number,
  more: NodeJS.ProcessEnv = {},
  { names, linesOf = () => [] }: FleetAccounts = { names: [] },
  proxyPort?: number,
): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-fleet-"));
  const postgres = await startOwnPostgres();
  const sandbox = new Sandbox({
    plan: "enterprise",
    size: { people: 8 + names.length, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  const databaseUrl = await newSchema(postgres.url);
  const key = more.TUITBOT_APPROVALS__KEY ?? KEY;
  await signInAll(databaseUrl, key, sandbox, ["default", ...names]);
  const config = join(folder, "config.toml");
  await writeFile(
    config,
    names.flatMap((name) => [`[accounts.${name}]`, 'x_api.plan = "enterprise"', ...linesOf(name)]).join("\n"),
  );
  // Replicas share only the database and this: each could run on a different machine.
  const shared = {
    TUITBOT_CONFIG: config,
    TUITBOT_X_API__BASE_URL: await sandbox.listen(),
    TUITBOT_X_API__CLIENT_ID: sandbox.app.clientId,
    TUITBOT_X_API__PLAN: "enterprise",
    TUITBOT_AUTH__KEEP_IN: "database",
    TUITBOT_APPROVALS__KEY: key,
    TUITBOT_STORAGE__URL: databaseUrl,
    TUITBOT_SERVER__TOKEN: TOKEN,
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_MCP_POLICY__REQUIRE_APPROVAL_FOR: "x_follow_user",
    TUITBOT_MCP_POLICY__MAX_MUTATIONS_PER_HOUR: "100000",
    TUITBOT_APPROVALS__HTTP_CLIENT_ASKS_PERSON: "true",
    TUITBOT_LIMITS__MAX_TWEETS_PER_DAY: "100000",
    TUITBOT_BUDGET__UNLIMITED: "true",
    ...more,
  };
  const env = (replica?: Replica) => cleanEnv(replica?.home ?? folder, shared);
  const replicas: Replica[] = [];
  for (let index = 0; index < count; index++)
    replicas.push(
      newReplica(await freePort(), join(folder, `machine-${index}`), (home) => cleanEnv(home, shared)),
    );
  await Promise.all(replicas.map(({ start }) => start()));
  const proxy = await startProxy(
    replicas.map(({ port }) => port),
    proxyPort,
  );
  return {
    postgres,
    sandbox,
    databaseUrl,
    replicas,
    proxy,
    env,
    async stop() {
      await proxy.close();
      await Promise.all(replicas.map(({ stop }) => stop("SIGKILL")));
      await sandbox.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signs in to every account, on whatever machine: each is another person of the sandbox. */
async function signInAll(
  url: string,
  key: string,
  sandbox: Sandbox,
  accounts: readonly string[],
): Promise<void> {
  const store = await openStore({ url, path: "" }, { now: Date.now });
  if (!store.ok) throw store.failure;
  const { owner } = cast;
  const known: readonly string[] = Object.values(cast);
  const crowd = [...sandbox.world.people.values()].filter(({ username }) => !known.includes(username));
  for (const [index, name] of accounts.entries()) {
    const storage = signInStorage({
      open: async () => store,
      name,
      secret: async () => Buffer.from(key, "hex"),
      clock: systemClock,
    });
    const user = index === 0 ? owner : (crowd[index - 1]?.username ?? owner);
    const signedIn = sandbox.signIn({ user, scopes: knownScopes });
    const { accessToken, refreshToken = "", expiresInSeconds } = signedIn;
    await new TokenKeeper({ storage }).signIn({
      accessToken: new Secret(accessToken),
      refreshToken: new Secret(refreshToken),
      expiresAt: Date.now() + expiresInSeconds * 1_000,
      scopes: knownScopes,
    });
  }
  await store.value.close();
}

function newReplica(port: number, home: string, env: (home: string) => Record<string, string>): Replica {
  let child: ChildProcess | undefined;
  let said = "";
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    port,
    home,
    isAlive,
    pid: () => child?.pid,
    said: () => said,
    async start() {
      const words = ["mcp", "serve", "--http", `127.0.0.1:${port}`, "--output", "json"];
      child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, ...words], {
        env: env(home),
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stderr?.on("data", (part: Buffer) => (said += String(part)));
      const began = await Promise.race([once(child.stdout ?? child, "data"), once(child, "exit")]);
      if (!isAlive()) throw new Error(`A replica ended at once (${String(began[0])}): ${said}`);
    },
    async stop(signal = "SIGTERM") {
      if (child === undefined || !isAlive()) return child?.exitCode ?? child?.signalCode ?? "not started";
      const ended = once(child, "exit");
      child.kill(signal);
      const [code, by] = (await ended) as [number | null, string | null];
      return code ?? by ?? "unknown";
    },
  };
}

/** An agent on any address that serves the fleet, with a person who says yes to every question. */
export interface Agent {
  /** The envelope of the answer, or `broken` with the reason where no answer came. */
  readonly call: (
    tool: string,
    args?: Record<string, unknown>,
  ) => Promise<Envelope | { readonly broken: string }>;
  readonly close: () => Promise<void>;
}

export async function connectAgent(url: string, name: string, token = TOKEN): Promise<Agent> {
  const client = new Client(
    { name, version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const [field = ""] = "requestedSchema" in params ? Object.keys(params.requestedSchema.properties) : [];
    return { action: "accept" as const, content: { [field]: "yes" } };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return {
    async call(tool, args = {}) {
      try {
        const { structuredContent } = await client.callTool({ name: tool, arguments: args });
        // Every answer of this server is the envelope.
        return structuredContent as unknown as Envelope;
      } catch (error) {
        return { broken: String(error) };
      }
    },
    close: () => client.close(),
  };
}
