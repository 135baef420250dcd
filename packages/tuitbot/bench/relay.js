// What no MCP server over stdio can do without: read a request, fetch what it asks for, answer with text and
// structured content. Plain JavaScript, as tuitbot is when it is built.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, params } = JSON.parse(line);
  const response = await fetch(params.url, { headers: params.headers });
  const structuredContent = await response.json();
  const result = { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
