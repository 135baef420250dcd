import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import { createHttpHandler } from "../mcp/http-handler.ts";
import { envelopeOf } from "./answer-problems.ts";
import type { ScriptedPerson } from "./scripted-person.ts";

export interface ConnectOptions {
  /** `modern` uses protocol 2026-07-28, `legacy` 2025-11-25. */
  readonly era?: "modern" | "legacy";
  /** Answers questions. Without one, the client declares no form support. */
  readonly person?: ScriptedPerson;
}

/** The official client, connected to an app in the same process. */
export interface ConnectedClient extends AsyncDisposable {
  readonly client: Client;
  /** Returns the envelope of the answer. */
  readonly call: (tool: string, args?: JsonObject) => Promise<JsonObject>;
  readonly close: () => Promise<void>;
}

/**
 * Connects the official client to an app without a socket: apart from that, it behaves like a client of
 * `serveHttp`.
 *
 * ```ts
 * await using server = await connect(app, { era: "legacy", person: scriptedPerson(["yes"]) });
 * const envelope = await server.call("delete_note", { id: "1" });
 * ```
 */
export async function connect(
  app: McpApp,
  { era = "modern", person }: ConnectOptions = {},
): Promise<ConnectedClient> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (person !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) =>
      person.reply("requestedSchema" in params ? params : { message: params.message }),
    );
  const handler = createHttpHandler(app);
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(localRequest(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL(LOCAL_URL), { fetch }));
  const close = () => client.close().then(handler.close);
  return {
    client,
    async call(tool, args = {}) {
      const envelope = envelopeOf(await client.callTool({ name: tool, arguments: args }));
      if (envelope === undefined) throw new Error(`${tool} answered without an envelope.`);
      return envelope as JsonObject;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const LOCAL_URL = "http://localhost/mcp";

/** With a Host header, as over a socket. */
export function localRequest(url: string | URL, init?: RequestInit): Request {
  const request = new Request(url, init);
  request.headers.set("host", "localhost");
  return request;
}
