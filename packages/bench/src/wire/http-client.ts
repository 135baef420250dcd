import { createInterface } from "node:readline";
import { freePort } from "../../../../scripts/free-port.ts";
import { type Connection, messageOf, type RpcAnswer, resultOf } from "./connection.ts";
import { type Era, INITIALIZED, opening, REVISION, type RpcRequest, requestText } from "./era.ts";
import { type HttpAnswer, HttpSocket } from "./http-socket.ts";
import { ServerProcess } from "./server-process.ts";

const PATH = "/mcp";

/** Parallel requests use a socket each. */
export async function openHttp(script: string, era: Era): Promise<Connection> {
  const port = await freePort();
  const server = new ServerProcess(script, ["http", String(port)]);
  await Promise.race([ready(server), server.failure]);
  const idle = new Set<HttpSocket>();

  async function post(headers: Readonly<Record<string, string>>, body: string): Promise<HttpAnswer> {
    for (const socket of idle) {
      if (socket.isFresh()) break;
      idle.delete(socket);
      socket.close();
    }
    const [socket = await HttpSocket.open(port)] = idle;
    idle.delete(socket);
    const answer = await socket.post(PATH, headers, body);
    idle.add(socket);
    return answer;
  }

  let lastId = 0;
  /** For legacy servers. */
  let session: Readonly<Record<string, string>> = {};
  const connection: Connection = {
    pid: server.pid,
    async request(request) {
      const headers = { ...headersOf(era, request), ...session };
      const answer = await post(headers, requestText(era, ++lastId, request));
      if (answer.session !== "") session = { "mcp-session-id": answer.session };
      return rpcAnswer(answer);
    },
    async close() {
      for (const socket of idle) socket.close();
      server.child.kill("SIGTERM");
      await server.end();
    },
  };
  await connection.request(opening(era));
  if (era === "legacy")
    await post(
      { ...headersOf(era, { method: "notifications/initialized", params: {} }), ...session },
      INITIALIZED,
    );
  return connection;
}

function headersOf(era: Era, { method, params }: RpcRequest): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION[era],
    ...(era === "modern" && { "mcp-method": method }),
    ...(era === "modern" && "name" in params && { "mcp-name": String(params.name) }),
  };
}

function rpcAnswer({ body, contentType }: HttpAnswer): RpcAnswer {
  const text = body.toString();
  const json = contentType.startsWith("text/event-stream") ? lastEvent(text) : text;
  return { result: resultOf(messageOf(json)), bytes: Buffer.byteLength(json) };
}

function lastEvent(stream: string): string {
  const data = stream.split("\n").filter((line) => line.startsWith("data:"));
  return data.at(-1)?.slice("data:".length) ?? "{}";
}

async function ready({ child }: ServerProcess): Promise<void> {
  if (child.stdout === null) throw new Error("The server has no stdout.");
  for await (const line of createInterface({ input: child.stdout })) if (line === "ready") break;
  child.stdout.resume();
}
