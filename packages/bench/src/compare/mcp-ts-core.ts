import * as z from "zod";
import { fail, probeInput, probes, text } from "./probe-tools.ts";

/** Read when the framework is imported. */
Object.assign(process.env, { MCP_LOG_LEVEL: "emerg", MCP_TRANSPORT_TYPE: "stdio" });
const { createApp, tool } = await import("@cyanheads/mcp-ts-core");

const output = z.object({ text: z.string().describe("The letters") });
await createApp({
  name: "compare",
  version: "1.0.0",
  tools: [
    tool("boom", {
      description: probes.boom.description,
      input: probeInput,
      output,
      handler: async () => fail(),
    }),
    tool("large", {
      description: probes.large.description,
      input: probeInput,
      output,
      handler: async () => ({ text: text() }),
    }),
  ],
});
