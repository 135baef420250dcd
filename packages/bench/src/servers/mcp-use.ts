import type * as z from "zod";
import { annotationsOf, noop, tools140 } from "./tools140.ts";

/** From its fetched folder, HTTP only. */
process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
const { MCPServer } = (await import(process.env.MCP_USE ?? "")) as { readonly MCPServer: McpUse };
const server = new MCPServer({ name: "bench-mcp-use", version: "1.0.0" });
for (const tool of [...tools140, noop]) {
  const { name, title, description, input, output } = tool;
  server.tool(
    { name, title, description, inputSchema: input, outputSchema: output, annotations: annotationsOf(tool) },
    async () => ({ content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } }),
  );
}
const [, port] = process.argv.slice(2);
await server.listen(Number(port), { host: "127.0.0.1" });
console.log("ready");

/** The package is not installed with this repository. */
type McpUse = new (options: {
  readonly name: string;
  readonly version: string;
}) => {
  readonly tool: (
    definition: {
      readonly name: string;
      readonly title: string;
      readonly description: string;
      readonly inputSchema: z.ZodType;
      readonly outputSchema: z.ZodType;
      readonly annotations: object;
    },
    handler: () => Promise<object>,
  ) => void;
  readonly listen: (port: number, options: { readonly host: string }) => Promise<unknown>;
};
