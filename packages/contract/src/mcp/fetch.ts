import type { McpApp } from "./app.ts";
import { createHttpHandler } from "./http-handler.ts";
import type { HttpHandlerOptions } from "./http-options.ts";

/**
 * Serves an app in a runtime with its own HTTP server: Deno, Bun, Cloudflare Workers (with `nodejs_compat`), or a route
 * of a web framework. It answers at `/mcp`, and only for loopback names unless `allowedHosts`, `token` or `oauth` is
 * given. Sessions for clients before 2026 are off by default, since the next request may reach another process.
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

/** Some runtimes provide the host only in the URL. */
function withHost(request: Request): Request {
  if (request.headers.has("host")) return request;
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}
