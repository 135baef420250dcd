import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Call, type Delivery, pieces, type Reply, type Wait } from "./exchange.ts";

/** On loopback. */
export function httpServer(handle: (call: Call) => Promise<Delivery>, wait: Wait): Server {
  // Clients keep idle connections for less, so none is closed as a request arrives.
  return createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      response.writeHead(refusal).end();
      return;
    }
    handle(callOf(request))
      .then((delivery) => bring(delivery, response, wait))
      .catch((cause: unknown) => {
        // A disconnected caller is expected; a bug must not look like X's answer or end the program.
        if (!request.destroyed) console.error(cause);
        response.destroy();
      });
  });
}

function refusalOf({ headers: { host = "", origin } }: IncomingMessage): 421 | 403 | undefined {
  if (!isLoopback(host)) return 421;
  // Only browsers send an origin.
  if (origin !== undefined && !isLoopback(origin.replace(/^https?:\/\//, ""))) return 403;
  return undefined;
}

function isLoopback(authority: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(authority);
}

function callOf(request: IncomingMessage): Call {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const search = mark === -1 ? "" : target.slice(mark + 1);
  return {
    method: request.method ?? "GET",
    origin: `http://${request.headers.host}`,
    path: mark === -1 ? target : target.slice(0, mark),
    search,
    query: new URLSearchParams(search),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    // The error can still be sent if reading stops early.
    body: request.method === "GET" ? undefined : request.iterator({ destroyOnReturn: false }),
  };
}

async function bring(delivery: Delivery, response: ServerResponse, wait: Wait): Promise<void> {
  switch (delivery.how) {
    case "whole":
      return writeWhole(delivery.reply, response);
    case "slow":
      return writeSlowly(delivery.reply, response, delivery.chunks, () => wait(delivery.delayMs));
    case "stall":
      writeHalf(delivery.reply, response);
      return;
    case "drop":
      response.socket?.destroy();
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "hang":
      return;
  }
}

async function writeWhole({ status, headers, body }: Reply, response: ServerResponse): Promise<void> {
  if (typeof body === "string") {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  const lines = body[Symbol.asyncIterator]();
  response.once("close", () => void lines.return?.());
  for (let line = await lines.next(); line.done !== true; line = await lines.next())
    response.write(line.value);
  response.end();
}

async function writeSlowly(
  reply: Reply,
  response: ServerResponse,
  chunks: number,
  pause: () => Promise<unknown>,
): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  for (const piece of pieces(reply, chunks)) {
    response.write(piece);
    await pause();
  }
  response.end();
}

/** Announces the whole body and sends half of it. */
function writeHalf(reply: Reply, response: ServerResponse): void {
  const [half = ""] = pieces(reply, 2);
  const length = typeof reply.body === "string" ? Buffer.byteLength(reply.body) : 1;
  response.writeHead(reply.status, { ...reply.headers, "content-length": length });
  response.write(half);
}
