const EXPOSED = "mcp-session-id, mcp-protocol-version, www-authenticate";

/** The answer to a browser that asks whether a page may call; undefined where this is no such question. */
export function preflight({ method, headers }: Request, origin: string): Response | undefined {
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  return readableBy(
    origin,
    new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, DELETE",
        // Calls repeat arguments in headers of any name, so what an allowed page wants to send, it may.
        "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
        "access-control-max-age": "7200",
      },
    }),
  );
}

/** Lets the page that asked read the answer. */
export function readableBy(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "origin");
  return response;
}
