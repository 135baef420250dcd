import type { AnyToolDefinition } from "@cyanheads/mcp-ts-core";
import { annotationsOf, noop, tools140 } from "./tools140.ts";
import { untilOpen } from "./until-open.ts";

const [transport, port] = process.argv.slice(2);
/** Read on import. Without sessions and logs, like the others. */
Object.assign(process.env, {
  MCP_LOG_LEVEL: "emerg",
  MCP_TRANSPORT_TYPE: transport === "http" ? "http" : "stdio",
  MCP_HTTP_PORT: port ?? "0",
  MCP_HTTP_HOST: "127.0.0.1",
  MCP_SESSION_MODE: "stateless",
  OTEL_ENABLED: "false",
});
const { createApp, tool } = await import("@cyanheads/mcp-ts-core");

const tools = [...tools140, noop].map((one) =>
  tool(one.name, {
    title: one.title,
    description: one.description,
    annotations: annotationsOf(one),
    input: one.input,
    output: one.output,
    handler: async () => ({ ok: true }),
  }),
);
// Its list type rejects its builder's result for a schema typed only as an object.
await createApp({
  name: "bench-mcp-ts-core",
  version: "1.0.0",
  tools: tools as unknown as AnyToolDefinition[],
});
if (transport === "http") {
  await untilOpen(Number(port));
  console.log("ready");
}
