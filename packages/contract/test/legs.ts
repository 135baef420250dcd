import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveHttp } from "../src/mcp/http.ts";
import { connectInProcess } from "./in-process.ts";
import { notesApp } from "./notes-product.ts";

/** Every way from a client to the server, in both eras of the protocol. */
export const legs = (["stdio", "in-process HTTP", "HTTP"] as const).flatMap((transport) =>
  (["modern", "legacy"] as const).map((era) => ({ transport, era, name: `${transport}, ${era}` })),
);

export type Leg = (typeof legs)[number];

export interface Connection {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

export const stdioCommand = {
  command: process.execPath,
  args: ["--conditions=toolpact-source", new URL("./notes-stdio.ts", import.meta.url).pathname],
};

export async function connect(
  { transport, era }: Pick<Leg, "transport" | "era">,
  capabilities: ClientOptions["capabilities"] = {},
): Promise<Connection> {
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" }, capabilities },
  );
  switch (transport) {
    case "stdio": {
      await client.connect(new StdioClientTransport({ ...stdioCommand, stderr: "ignore" }));
      return { client, close: () => client.close() };
    }
    case "in-process HTTP": {
      return { client, close: await connectInProcess(client, notesApp().app) };
    }
    case "HTTP": {
      const server = await serveHttp(notesApp().app, { port: 0 });
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      return { client, close: () => client.close().then(server.close) };
    }
  }
}
