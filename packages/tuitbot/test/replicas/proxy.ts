import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A small reverse proxy with round robin, which asks every replica whether it is ready, as HAProxy and nginx do. Sessions
 * of older clients stay at their replica.
 */
export interface ReverseProxy {
  readonly url: string;
  /** Resolves when it sends calls to this replica. */
  readonly noticed: (port: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const CHECK_MS = 100;
const SESSION = "mcp-session-id";

export async function startProxy(ports: readonly number[], own = 0): Promise<ReverseProxy> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Map(ports.map((port) => [port, false]));
  const replicaOfSession = new Map<unknown, number>();
  let next = 0;

  const check = async (port: number) => ready.set(port, await isReady(port));
  const checkAll = () => Promise.all(ports.map(check));
  // Opening the database for the first time makes its tables.
  while (![...ready.values()].every(Boolean)) await checkAll();
  const checking = setInterval(() => void checkAll(), CHECK_MS);

  /** Those that said to be ready first, beginning with the session's, or the one whose turn it is. */
  function inOrder(session: unknown): readonly number[] {
    const home = replicaOfSession.get(session);
    if (home !== undefined) return [home];
    next += 1;
    const turned = ports.map((_, index) => ports[(index + next) % ports.length] ?? 0);
    return turned.filter((port) => ready.get(port));
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    for (const port of inOrder(incoming.headers[SESSION])) {
      const passed = await forward(port, incoming, Buffer.concat(parts), outgoing);
      if (passed) return;
      ready.set(port, false);
    }
    outgoing.writeHead(503).end("no replica is ready");
  }

  /** False if the replica did not accept the connection. Nothing was sent then, so another can be tried. */
  function forward(
    port: number,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const onward = request({ agent, host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
        const { connection: _, "keep-alive": __, ...answered } = answer.headers;
        if (answered[SESSION] !== undefined) replicaOfSession.set(answered[SESSION], port);
        outgoing.writeHead(answer.statusCode ?? 502, answered);
        answer.pipe(outgoing);
        answer.on("error", () => outgoing.destroy());
        resolve(true);
      });
      onward.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") return resolve(false);
        // It may have been sent, so it must not be sent again.
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end(error.code);
        resolve(true);
      });
      outgoing.on("close", () => !outgoing.writableFinished && onward.destroy());
      onward.end(body);
    });
  }

  const server = createServer(
    (incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
  // A server that listens on a TCP port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async noticed(port) {
      while (!ready.get(port)) await check(port);
    },
    async close() {
      clearInterval(checking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, path: "/readyz", agent: false, timeout: 10_000 },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.end();
  });
}
