import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

/** An MCP client that is added by URL: it opens a browser to sign in, and listens for the way back. */
export interface ConnectingClient {
  /** Connects with the stored tokens; signs in first if there are none. */
  readonly connect: () => Promise<Client>;
  readonly accessToken: () => string;
  readonly close: () => Promise<void>;
}

interface ConnectingOptions {
  readonly name: string;
  /** Opens the browser. */
  readonly open: (authorize: URL) => Promise<void>;
  /** The revision 2025-11-25 by default; "auto" uses the newest. */
  readonly mode?: "legacy" | "auto";
}

/** A user at a browser takes longer than a request. */
const DECISION_MS = 300_000;

export async function connectingClient(
  url: string,
  { name, open, mode = "legacy" }: ConnectingOptions,
): Promise<ConnectingClient> {
  let back: URLSearchParams | undefined;
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", redirectUrl);
    if (pathname === "/callback") back = searchParams;
    response.end("You can close this window.");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  // The address of a listening TCP server.
  const { port } = listener.address() as AddressInfo;
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  let registered: StoredOAuthClientInformation | undefined;
  let stored: StoredOAuthTokens | undefined;
  let verifier = "";
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    clientInformation: () => registered,
    saveClientInformation: (information) => {
      registered = information;
    },
    tokens: () => stored,
    saveTokens: (tokens) => {
      stored = tokens;
    },
    redirectToAuthorization: open,
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  const attempt = async () => {
    const client = new Client(
      { name, version: "1" },
      { versionNegotiation: { mode, probe: { timeoutMs: DECISION_MS } } },
    );
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), { authProvider });
    return { client, transport };
  };
  return {
    async connect() {
      const { client, transport } = await attempt();
      try {
        await client.connect(transport, { timeout: DECISION_MS });
        return client;
      } catch (error) {
        if (back === undefined) throw error;
        await transport.finishAuth(back);
        const again = await attempt();
        await again.client.connect(again.transport);
        return again.client;
      } finally {
        back = undefined;
      }
    },
    accessToken: () => stored?.access_token ?? "",
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
