import type { McpApp } from "./app.ts";
import { createHttpHandler, type HttpHandlerOptions } from "./http-handler.ts";

/**
 * Serves an app where the runtime brings the socket: Deno, Bun, Cloudflare Workers (with `nodejs_compat`), or a route of
 * a web framework. It answers at `/mcp`, and at no name but loopback unless `allowedHosts`, `token` or `oauth` is given.
 * Sessions for clients of the protocol before 2026 are off unless asked for, since the next request may reach another
 * process.
 *
 * ```ts
 * const fetch = serveFetch(app, { token: "a long secret" });
 * const worker = { fetch };
 * ```
 */
export function serveFetch(
  app: McpApp,
  options: HttpHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const handler = createHttpHandler(app, { legacySessions: false, ...options });
  return (request) => handler.fetch(withHost(request));
}

/** Some runtimes give the host in the address alone. */
function withHost(request: Request): Request {
  if (request.headers.has("host")) return request;
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}
