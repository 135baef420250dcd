import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { fail, probeInput, probes, text } from "./probe-tools.ts";

serveStdio(() => {
  const server = new McpServer({ name: "compare", version: "1.0.0" });
  const { boom, large } = probes;
  server.registerTool("boom", { description: boom.description, inputSchema: probeInput }, async () => fail());
  server.registerTool("large", { description: large.description, inputSchema: probeInput }, async () => ({
    content: [{ type: "text", text: text() }],
  }));
  return server;
});
