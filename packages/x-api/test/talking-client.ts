import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createXClient, type XClient, type XClientOptions } from "../src/client.ts";
import { fixedTokens } from "./doubles.ts";

export async function loopback(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<XClientOptions> = {},
): Promise<{ readonly client: XClient; readonly close: () => void }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createXClient({ baseUrl, tokens: fixedTokens({ user: "u", app: "a" }), ...options });
  return { client, close };
}

export function recorded(
  body: unknown,
  options: Partial<XClientOptions> = {},
  init?: ResponseInit,
): { readonly client: XClient; readonly sent: readonly Request[] } {
  const sent: Request[] = [];
  const client = createXClient({
    tokens: fixedTokens({ user: "u", app: "a" }),
    fetch: async (input, request) => {
      sent.push(new Request(input, request));
      return body === undefined ? new Response(null, { status: 204 }) : Response.json(body, init);
    },
    ...options,
  });
  return { client, sent };
}
