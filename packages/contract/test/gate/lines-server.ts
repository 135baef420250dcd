import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** A server of 2026-07-28 on the bare SDK, over stdio or HTTP. Its file has as many lines as its tool had effects. */
const [transport, file = ""] = process.argv.slice(2);

function newServer(): McpServer {
  const server = new McpServer({ name: "lines", version: "1.0.0" });
  server.registerTool(
    "add_line",
    { description: "Adds a line.", inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => {
      appendFileSync(file, `${text}\n`);
      return { content: [{ type: "text", text: `Added ${text}.` }] };
    },
  );
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
    // The two declarations of a web stream differ.
    else Readable.fromWeb(answered.body as never).pipe(response);
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  });
}
