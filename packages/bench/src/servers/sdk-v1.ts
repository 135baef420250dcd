import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { registrations } from "./sdk-registrations.ts";

/** HTTP without sessions requires a new server and transport per request. */
function newServer(): McpServer {
  const server = new McpServer({ name: "bench-sdk-v1", version: "1.0.0" });
  for (const registration of registrations) server.registerTool(...registration);
  return server;
}

const [transport, port] = process.argv.slice(2);
if (transport === "http") {
  const { createServer } = await import("node:http");
  const { StreamableHTTPServerTransport } = await import(
    "@modelcontextprotocol/sdk/server/streamableHttp.js"
  );
  createServer(async (request, response) => {
    const server = newServer();
    const exchange = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.on("close", () => void server.close());
    // The SDK's own classes disagree under exactOptionalPropertyTypes.
    await server.connect(exchange as Transport);
    await exchange.handleRequest(request, response);
  }).listen(Number(port), "127.0.0.1", () => console.log("ready"));
} else {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  await newServer().connect(new StdioServerTransport());
}
