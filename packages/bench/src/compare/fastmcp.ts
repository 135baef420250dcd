import { FastMCP } from "fastmcp";
import { fail, probeInput, probes, text } from "./probe-tools.ts";

const server = new FastMCP({ name: "compare", version: "1.0.0" });
const { boom, large } = probes;
server.addTool({
  name: "boom",
  description: boom.description,
  parameters: probeInput,
  execute: async () => fail(),
});
server.addTool({
  name: "large",
  description: large.description,
  parameters: probeInput,
  execute: async () => text(),
});
await server.start({ transportType: "stdio" });
