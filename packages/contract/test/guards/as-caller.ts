import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpApp } from "../../src/mcp/app.ts";
import { createHttpHandler } from "../../src/mcp/http-handler.ts";
import { LOCAL_URL, localRequest } from "../../src/testing/connect.ts";
import type { ElicitationParams, ElicitationReply } from "../../src/testing/scripted-person.ts";

export interface Caller {
  /** Also its token. */
  readonly name: string;
  /** Answers the client's forms. */
  readonly reply?: ((asked: ElicitationParams) => ElicitationReply | Promise<ElicitationReply>) | undefined;
  readonly era?: "modern" | "legacy";
}

/** Without a port. */
export function servedToCallers(app: McpApp) {
  const handler = createHttpHandler(app, { identify: async (token) => ({ id: token }) });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(localRequest(url, init));
  return {
    async as({ name, reply, era = "modern" }: Caller): Promise<Client> {
      const client = new Client(
        { name: "test", version: "1.0.0" },
        {
          versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
          capabilities: reply === undefined ? {} : { elicitation: { form: {} } },
        },
      );
      if (reply !== undefined)
        client.setRequestHandler("elicitation/create", async ({ params }) =>
          reply("requestedSchema" in params ? params : { message: params.message }),
        );
      const requestInit = { headers: { authorization: `Bearer ${name}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(LOCAL_URL), { fetch, requestInit }));
      return client;
    },
    close: handler.close,
  };
}
