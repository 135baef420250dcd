import { appendFileSync, readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** Lists the tools in the first file, and writes each call to the second. */
const [definitions = "", calls = ""] = process.argv.slice(2);

serveStdio(() => {
  const server = new Server({ name: "changing", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: JSON.parse(readFileSync(definitions, "utf8")),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    appendFileSync(calls, `${JSON.stringify(params.arguments)}\n`);
    return { content: [{ type: "text", text: "transferred" }] };
  });
  return server;
});
