import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { AuthInfo } from "@modelcontextprotocol/server";
import { MINUTE_MS, systemClock } from "../clock.ts";
import { digest } from "../json.ts";

/** Checked before a request is read. */
export interface GateOptions {
  /** Names of this server besides loopback. With a token and no names, any name is accepted. */
  readonly allowedHosts?: readonly string[];
  /** Pages that may call, such as `https://app.example`. Others may not, loopback included. */
  readonly allowedOrigins?: readonly string[];
  /** The origin of this server's pages, such as `https://bot.example`. */
  readonly publicOrigin?: string;
  /** Every caller must send it. */
  readonly token?: string;
}

/** `unknown` if the token is missing or not recognized. */
export type Admission = AuthInfo | Response | "unknown" | undefined;

/** Adds the public addresses of the OAuth options. */
export function gateOf<Options extends GateOptions & PublicAddresses>(options: Options): Options {
  const { oauth, signIn, token, allowedHosts = [] } = options;
  const origin = signIn?.publicUrl && new URL(signIn.publicUrl).origin;
  // With a token, any name of the server is accepted; tokens of a sign-in do not depend on the name.
  const named = oauth?.resource ?? (token === undefined ? origin : undefined);
  return {
    ...options,
    ...(named !== undefined && { allowedHosts: [new URL(named).hostname, ...allowedHosts] }),
    ...(origin !== undefined && { publicOrigin: origin }),
  };
}

interface PublicAddresses {
  readonly oauth?: { readonly resource: string };
  readonly signIn?: { readonly publicUrl: string | undefined };
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Rejects DNS rebinding: a page whose own name resolves to this machine sends that name as Host or Origin. */
export function refuseRebinding(headers: Headers, options: GateOptions): Response | undefined {
  return refuseNames(headers.get("host"), headers.get("origin"), options);
}

export function refuseNames(
  hostHeader: string | null,
  origin: string | null,
  { allowedHosts = [], allowedOrigins = [], publicOrigin, token }: GateOptions,
): Response | undefined {
  const host = hostname(`http://${hostHeader ?? ""}`);
  const anyHost = token !== undefined && allowedHosts.length === 0;
  if (host === undefined || !(isLoopback(host) || anyHost || allowedHosts.includes(host))) {
    return refusal(
      403,
      "This server does not go by the name in the Host header. Allow it by name to serve it.",
    );
  }
  if (origin === null || origin === publicOrigin || allowedOrigins.includes(origin)) return undefined;
  // Pages of other programs on loopback are foreign.
  if (isLoopback(host) && origin.replace(/^https?:\/\//, "") === hostHeader) return undefined;
  return refusal(403, "Pages of this origin may not call this server. Allow the origin by name to let them.");
}

/** Only the last address, added by the proxy in front of this server, is trusted. */
export function senderBehindProxy(headers: Headers, address: string): string {
  const named = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return isIP(named) === 0 ? address : named;
}

export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
}

/** Compares digests in constant time. */
export function isToken(given: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(token)));
}

export function checkToken(headers: Headers, token: string): Response | undefined {
  const given = bearerOf(headers.get("authorization"));
  return given !== undefined && isToken(given, token) ? undefined : wantsToken();
}

export function wantsToken(): Response {
  return refusal(401, "This server wants its token: send it as `Authorization: Bearer …`.", {
    "www-authenticate": "Bearer",
  });
}

export function uncheckedToken(): Response {
  return refusal(503, "Tokens cannot be checked right now. Try again in a few seconds.", {
    "retry-after": "5",
  });
}

/**
 * Reports rejected tokens once a minute, since clients only report that they failed to connect. A missing
 * token counts if nobody can sign in.
 */
export function refusedCallers(
  report: ((error: Error) => void) | undefined,
  canSignIn: boolean,
): (refused: Response, headers: Headers) => Response {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (refused, headers) => {
    const hasToken = headers.has("authorization");
    const now = systemClock.now();
    if (refused.status !== 401 || (!hasToken && canSignIn) || now - lastAt < MINUTE_MS) return refused;
    lastAt = now;
    report?.(new Error(`A caller was refused: it sent ${hasToken ? "another" : "no"} token.`));
    return refused;
  };
}

export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32600,
): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}

export function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

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

export function readableBy(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "origin");
  return response;
}

const EXPOSED = "mcp-session-id, mcp-protocol-version, www-authenticate";
