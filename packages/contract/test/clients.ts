import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfSdk1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioOfSdk1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpOfSdk1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { ScriptedPerson } from "../src/testing/index.ts";

/** Every kind of client in use, and whether it uses the modern protocol. */
export const clients = {
  "SDK 1.x": { isModern: false, connect: connectSdk1 },
  "SDK 2 with defaults": { isModern: false, connect: connectSdk2("legacy") },
  "SDK 2, protocol 2026-07-28": { isModern: true, connect: connectSdk2("auto") },
};
export type ClientName = keyof typeof clients;

export const clientNames = Object.keys(clients) as ClientName[];

/** An address, or a process that the client starts. */
export type ServerPlace =
  | { readonly url: string; readonly headers?: Record<string, string> }
  | { readonly command: string; readonly args: string[]; readonly env?: Record<string, string> };

export interface Connected {
  readonly call: (name: string, args: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onprogress: () => void;
}

async function connectSdk1(place: ServerPlace, person: ScriptedPerson | undefined): Promise<Connected> {
  const client = new ClientOfSdk1(
    { name: "old", version: "1" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) =>
      person.reply("requestedSchema" in params ? params : { message: params.message }),
    );
  await client.connect(
    "url" in place
      ? new HttpOfSdk1(new URL(place.url), { requestInit: { headers: place.headers ?? {} } })
      : new StdioOfSdk1({ ...place, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  return {
    call: async (name, args, options) =>
      (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent,
  };
}

function connectSdk2(mode: "legacy" | "auto") {
  return async (place: ServerPlace, person: ScriptedPerson | undefined): Promise<Connected> => {
    const client = new Client(
      { name: "new", version: "1" },
      {
        versionNegotiation: { mode },
        capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      },
    );
    if (person !== undefined)
      client.setRequestHandler("elicitation/create", async ({ params }) =>
        person.reply("requestedSchema" in params ? params : { message: params.message }),
      );
    await client.connect(
      "url" in place
        ? new StreamableHTTPClientTransport(new URL(place.url), {
            requestInit: { headers: place.headers ?? {} },
          })
        : new StdioClientTransport({ ...place, stderr: "ignore" }),
    );
    onTestFinished(() => client.close());
    return {
      call: async (name, args, options) =>
        (await client.callTool({ name, arguments: args }, options)).structuredContent,
    };
  };
}
