import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/**
 * On the bare SDK, over stdio or HTTP. Writes effects to FILE, its id to FILE.pid, and call starts and ends
 * to FILE.calls.
 */
const [transport, file = ""] = process.argv.slice(2);
writeFileSync(`${file}.pid`, String(process.pid));

function newServer(): McpServer {
  const server = new McpServer({ name: "lines", version: "1.0.0" });
  for (const name of ["add_line", "add_reviewed_line"])
    server.registerTool(
      name,
      {
        description: "Adds a line.",
        inputSchema: z.object({
          text: z.string(),
          before_ms: z.number().default(0),
          after_ms: z.number().default(0),
        }),
      },
      async ({ text, before_ms, after_ms }) => {
        appendFileSync(`${file}.calls`, `begun ${process.pid} ${text}\n`);
        await setTimeout(before_ms);
        appendFileSync(file, `${text}\n`);
        await setTimeout(after_ms);
        appendFileSync(`${file}.calls`, `ended ${process.pid} ${text}\n`);
        return { content: [{ type: "text", text: `Added ${text}.` }] };
      },
    );
  server.registerTool("ping", { description: "Answers.", inputSchema: z.object({}) }, async () => ({
    content: [{ type: "text", text: "pong" }],
  }));
  return server;
}

if (transport === "stdio") serveStdio(newServer);
else {
  const handler = createMcpHandler(newServer);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answered = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        ...(body.length > 0 && { body }),
      }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body === null) response.end();
    else Readable.fromWeb(answered.body as never).pipe(response);
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  });
}
