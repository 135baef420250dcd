import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveHttp } from "../src/mcp/http.ts";
import { connect as connectInProcess, type ScriptedPerson } from "../src/testing/index.ts";
import { notesApp } from "./notes-product.ts";

/** Every transport in both eras. */
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
  person?: ScriptedPerson,
): Promise<Connection> {
  if (transport === "in-process HTTP")
    return connectInProcess(notesApp().app, { era, ...(person && { person }) });
  const client = new Client(
    { name: "tester", version: "1" },
    {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (person !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) =>
      person.reply("requestedSchema" in params ? params : { message: params.message }),
    );
  switch (transport) {
    case "stdio": {
      await client.connect(new StdioClientTransport({ ...stdioCommand, stderr: "ignore" }));
      return { client, close: () => client.close() };
    }
    case "HTTP": {
      const server = await serveHttp(notesApp().app, { port: 0 });
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      return { client, close: () => client.close().then(server.close) };
    }
  }
}
