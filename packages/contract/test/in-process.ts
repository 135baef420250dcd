import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpApp } from "../src/index.ts";
import { createHttpFace, type HttpFace } from "../src/mcp/http-face.ts";

/** The official client on an app, without a socket between them. */
export async function connectInProcess(
  app: McpApp,
  options: ClientOptions = { versionNegotiation: { mode: "auto" } },
): Promise<{ readonly client: Client; readonly face: HttpFace; readonly close: () => Promise<void> }> {
  const face = createHttpFace(app);
  const client = new Client({ name: "tester", version: "1" }, options);
  const fetch = (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    request.headers.set("host", "localhost");
    return face.fetch(request);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  return { client, face, close: () => client.close().then(face.close) };
}
