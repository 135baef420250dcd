import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { atLeast, type Figure } from "../../bench/src/figure.ts";
import { Sandbox } from "../src/index.ts";

export interface ThroughputOptions {
  /** Reads in a round; the best of the rounds counts, as the others were disturbed. */
  readonly reads?: number;
  readonly rounds?: number;
}

/**
 * Reads that one core serves in a second: a post, a person, a page of ten posts with their authors and a
 * search, in turn, with authorization, limits and billing as always. What counts is the time the serving
 * thread had a core, so that a busy machine does not hide what the sandbox can do.
 */
export async function benchSandboxThroughput(options: ThroughputOptions = {}): Promise<readonly Figure[]> {
  const { reads = 8_000, rounds = 5 } = options;
  return [
    atLeast("sandbox: reads in process", await best(rounds, await inProcess(reads)), UNIT, GOAL),
    atLeast("sandbox: reads over HTTP", await best(rounds, await overHttp(reads)), UNIT, GOAL),
  ];
}

const GOAL = 5_000;
const UNIT = "reads/s of one core";

interface Run {
  /** Serves one round; resolves to reads a second of one core. */
  readonly round: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}

async function best(rounds: number, { round, close }: Run): Promise<number> {
  let most = 0;
  for (let i = 0; i < rounds; i++) most = Math.max(most, await round());
  await close();
  return most;
}

async function inProcess(reads: number): Promise<Run> {
  const { sandbox, targets, token } = world();
  const headers = { authorization: `Bearer ${token}` };
  const round = async (): Promise<number> => {
    const start = coreSeconds();
    for (let i = 0; i < reads; i++) {
      if (i % readsPerWindow === 0) sandbox.clock.advance(windowMs);
      const response = await sandbox.fetch(`https://api.x.com${targets[i % targets.length]}`, { headers });
      if (response.status !== 200) throw new Error(await response.text());
      await response.text();
    }
    return reads / (coreSeconds() - start);
  };
  return { round, close: async () => undefined };
}

/** The sandbox runs in a thread of its own; this one asks over several connections at once. */
async function overHttp(reads: number): Promise<Run> {
  const { targets, token } = world();
  const server = new Worker(new URL(import.meta.url));
  const [url] = await once(server, "message");
  const serverCoreSeconds = async (): Promise<number> => {
    server.postMessage("core seconds");
    const [seconds] = await once(server, "message");
    return seconds;
  };
  const port = Number(new URL(url).port);
  const connections = await Promise.all(Array.from({ length: 8 }, () => Connection.to(port)));
  const request = (target: string): string =>
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const round = async (): Promise<number> => {
    const start = await serverCoreSeconds();
    let next = 0;
    const work = async (connection: Connection): Promise<void> => {
      while (next < reads) {
        const i = next++;
        if (i % readsPerWindow === 0) server.postMessage("next window");
        const status = await connection.ask(request(targets[i % targets.length] ?? ""));
        if (status !== 200) throw new Error(`The sandbox answered with ${status}.`);
      }
    };
    await Promise.all(connections.map(work));
    return reads / ((await serverCoreSeconds()) - start);
  };
  const close = async (): Promise<void> => {
    for (const connection of connections) connection.close();
    await server.terminate();
  };
  return { round, close };
}

/** As little of an HTTP client as can be, so that the sandbox is what is measured. */
class Connection {
  readonly #socket: Socket;
  #heard: Buffer = Buffer.alloc(0);
  #answered: ((status: number) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (piece: Buffer) => this.#hear(piece));
  }

  static async to(port: number): Promise<Connection> {
    const socket = connect(port, "127.0.0.1").setNoDelay();
    await once(socket, "connect");
    return new Connection(socket);
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #hear(piece: Buffer): void {
    this.#heard = this.#heard.length === 0 ? piece : Buffer.concat([this.#heard, piece]);
    const headEnd = this.#heard.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const head = this.#heard.toString("latin1", 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (this.#heard.length < headEnd + 4 + length) return;
    this.#heard = Buffer.alloc(0);
    this.#answered?.(Number(head.slice(9, 12)));
  }
}

function world(): { sandbox: Sandbox; targets: readonly string[]; token: string } {
  const sandbox = new Sandbox({ seed: 7, creditsUsd: 1e6 });
  const id = sandbox.person("sandbox_owner").id;
  const post = sandbox.world.postsBy.of(id).newest() ?? "";
  const fields =
    "post.fields=created_at,public_metrics,conversation_id&expansions=author_id&user.fields=public_metrics";
  const targets = [
    `/2/tweets/${post}?${fields}`,
    "/2/users/by/username/sandbox_friend?user.fields=public_metrics,description",
    `/2/users/${id}/tweets?max_results=10&${fields}`,
    `/2/tweets/search/recent?query=maps&max_results=10&${fields}`,
  ];
  return { sandbox, targets, token: sandbox.app.bearerToken };
}

/** Time this thread has had a core. */
function coreSeconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}

/** X allows an app 300 reads of a person in fifteen minutes; the clock moves on before they are used up. */
const readsPerWindow = 1_000;
const windowMs = 900_000;

if (!isMainThread) {
  const { sandbox } = world();
  parentPort?.on("message", (wish) => {
    if (wish === "core seconds") parentPort?.postMessage(coreSeconds());
    else sandbox.clock.advance(windowMs);
  });
  parentPort?.postMessage(await sandbox.listen());
}

if (isMainThread && import.meta.main) console.table(await benchSandboxThroughput());
