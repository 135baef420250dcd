import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

/** Serves a stdio server over legacy HTTP, with a session and event streams. `SERVER_TOKEN` sets a token. */
const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
const session = randomUUID();
const waiting = new Map<unknown, (line: string) => void>();

createInterface({ input: child.stdout }).on("line", (line) => {
  const { id } = JSON.parse(line);
  waiting.get(id)?.(line);
  waiting.delete(id);
});

const server = createServer(async (request, response) => {
  const { SERVER_TOKEN } = process.env;
  if (SERVER_TOKEN !== undefined && request.headers.authorization !== `Bearer ${SERVER_TOKEN}`)
    return void response.writeHead(401).end();
  if (request.method !== "POST") return void response.writeHead(405).end();
  const message = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8"));
  if (message.method !== "initialize" && request.headers["mcp-session-id"] !== session)
    return void response.writeHead(404).end();
  child.stdin.write(`${JSON.stringify(message)}\n`);
  if (message.id === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": session });
  response.flushHeaders();
  waiting.set(message.id, (line) => response.end(`event: message\ndata: ${line}\n\n`));
});
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
