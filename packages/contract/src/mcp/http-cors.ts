/** Answers a CORS preflight; undefined for any other request. */
export function preflight({ method, headers }: Request, origin: string): Response | undefined {
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  return readableBy(
    origin,
    new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, DELETE",
        // Calls repeat arguments in headers of any name, so an allowed page may send any header.
        "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
        "access-control-max-age": "7200",
      },
    }),
  );
}

/** Adds the CORS headers that let the page read the response. */
export function readableBy(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "origin");
  return response;
}

const EXPOSED = "mcp-session-id, mcp-protocol-version, www-authenticate";
