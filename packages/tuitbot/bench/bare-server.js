// The MCP SDK alone with one tool, as its documentation shows it. Plain JavaScript, so that its start does not pay
// for stripping types.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool(
    "get_post",
    {
      title: "Get a post",
      description: "One post with its author and counts.",
      inputSchema: z.object({ id: z.string().describe("The post's id") }).strict(),
      outputSchema: z.object({ id: z.string(), text: z.string() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async ({ id }) => {
      const post = { id, text: "A post." };
      return { content: [{ type: "text", text: JSON.stringify(post) }], structuredContent: post };
    },
  );
  return server;
});
