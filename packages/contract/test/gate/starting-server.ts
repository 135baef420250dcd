import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

// Counts its starts in a file, and exits while another file is missing.
const [, , starts = "", needed = starts] = process.argv;
appendFileSync(starts, "x");
if (!existsSync(needed)) process.exit(1);

const answer = (id: number, result: object) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize")
    answer(id, {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "starting", version: "1" },
    });
  else if (method === "tools/list")
    answer(id, { tools: [{ name: "hello", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") answer(id, { content: [{ type: "text", text: "hello" }] });
  else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Unknown method." } }));
});
