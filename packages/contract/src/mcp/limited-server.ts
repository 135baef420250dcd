import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";

interface Limits {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly requestMs?: number;
}

/** Limits the time for a request, because a half-sent one holds its connection. */
export async function limitedServer(
  { tls, requestMs = REQUEST_MS }: Limits,
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
) {
  const limits: ServerOptions = {
    requestTimeout: requestMs,
    headersTimeout: Math.min(HEADERS_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(5_000, requestMs),
  };
  if (tls === undefined) return createServer(limits, listener);
  // Loaded only if needed, to keep other starts fast.
  const { createServer: createTlsServer } = await import("node:https");
  return createTlsServer({ ...limits, ...tls, handshakeTimeout: limits.headersTimeout }, listener);
}

const REQUEST_MS = 30_000;
const HEADERS_MS = 15_000;
/** Longer than the 60 s of proxies, so none sends a request on a closing connection. */
const KEEP_ALIVE_MS = 65_000;
