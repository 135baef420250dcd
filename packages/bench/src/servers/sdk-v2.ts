import { McpServer } from "@modelcontextprotocol/server";
import { registrations } from "./sdk-registrations.ts";

/** As in its documentation. */
function newServer(): McpServer {
  const server = new McpServer({ name: "bench-sdk-v2", version: "1.0.0" });
  for (const registration of registrations) server.registerTool(...registration);
  return server;
}

const [transport, port] = process.argv.slice(2);
if (transport === "http") {
  const { createServer } = await import("node:http");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const handle = toNodeHandler(createMcpHandler(newServer));
  // The SDK's own types disagree with Node's under exactOptionalPropertyTypes.
  type Incoming = Parameters<typeof handle>[0];
  createServer((request, response) => void handle(request as Incoming, response)).listen(
    Number(port),
    "127.0.0.1",
    () => console.log("ready"),
  );
} else {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(newServer);
}
