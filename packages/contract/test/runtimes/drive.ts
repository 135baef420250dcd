import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { TOKEN } from "./server.ts";

/** The official client's results, call by call. */
export async function drive(url: string, mode: "auto" | "legacy") {
  const client = new Client({ name: "far", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    const { tools } = await client.listTools();
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      tools: tools.length,
      added: await call("add_note", { text: `from ${mode}` }),
      bad: await call("add_note", { txt: "x" }),
    };
  } finally {
    await client.close();
  }
}

/** Without the token, and to another path. */
export async function refusals(url: string): Promise<readonly number[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const statusOf = async (address: string) => {
    const response = await fetch(address, { method: "POST", body, headers });
    await response.body?.cancel();
    return response.status;
  };
  return [await statusOf(url), await statusOf(url.replace(/mcp$/, "elsewhere"))];
}
