import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpApp } from "../src/index.ts";
import { createHttpHandler } from "../src/mcp/http-handler.ts";

/** Connects the official client to an app without a socket between them, and gives the function that ends both. */
export async function connectInProcess(client: Client, app: McpApp): Promise<() => Promise<void>> {
  const handler = createHttpHandler(app);
  const fetch = (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    request.headers.set("host", "localhost");
    return handler.fetch(request);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  return () => client.close().then(handler.close);
}
