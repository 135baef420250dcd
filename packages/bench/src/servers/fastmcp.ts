import { FastMCP } from "fastmcp";
import { annotationsOf, noop, tools140 } from "./tools140.ts";

/** Without the pings and root requests it would send. */
const server = new FastMCP({
  name: "bench-fastmcp",
  version: "1.0.0",
  ping: { enabled: false },
  roots: { enabled: false },
});
for (const tool of tools140) {
  server.addTool({
    name: tool.name,
    description: tool.description,
    parameters: tool.input,
    outputSchema: tool.output,
    annotations: { title: tool.title, ...annotationsOf(tool) },
    execute: async () => "",
  });
}
server.addTool({
  name: noop.name,
  description: noop.description,
  parameters: noop.input,
  outputSchema: noop.output,
  annotations: { title: noop.title, ...annotationsOf(noop) },
  execute: async () => ({ ok: true }),
});

const [transport, port] = process.argv.slice(2);
if (transport === "http") {
  await server.start({
    transportType: "httpStream",
    httpStream: { port: Number(port), host: "127.0.0.1", stateless: true, enableJsonResponse: true },
  });
  console.log("ready");
} else {
  await server.start({ transportType: "stdio" });
}
