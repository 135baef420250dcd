import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** Answers are nested as deep as the call asks, in the named part. */
serveStdio(() => {
  const server = new Server({ name: "deep", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: [{ name: "nest", inputSchema: { type: "object" }, annotations: { readOnlyHint: false } }],
  }));
  server.setRequestHandler("tools/call", async ({ params: { arguments: args = {} } }) => {
    const nested = nest(Number(args.depth));
    return {
      content: [{ type: "text", text: "answered", ...(args.part === "content" && { _meta: nested }) }],
      ...(args.part === "structuredContent" && { structuredContent: nested }),
      ...(args.part === "_meta" && { _meta: nested }),
    };
  });
  return server;
});

function nest(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < depth; level++) value = { a: value };
  return value;
}
