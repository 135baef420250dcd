import { timingSafeEqual } from "node:crypto";
import { digest } from "../json.ts";

/** Who may come in, decided before a request is read. */
export interface GateOptions {
  /** Names this server goes by, beside the loopback ones. With a token and no names, it goes by any. */
  readonly allowedHosts?: readonly string[];
  /** Web pages that may call it, such as `https://app.example`; no other may, not even one on loopback. */
  readonly allowedOrigins?: readonly string[];
  /** Where browsers of other machines find the pages of this server, such as `https://bot.example`. */
  readonly publicOrigin?: string;
  /** The one secret every caller shows. */
  readonly token?: string;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Refuses DNS rebinding: a foreign page that resolves its own name to this machine. Such a request carries the foreign
 * name as Host or Origin.
 */
export function refuseRebinding(headers: Headers, options: GateOptions): Response | undefined {
  return refuseNames(headers.get("host"), headers.get("origin"), options);
}

/** The same, of the two headers alone. */
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
  // A page of this server itself. Another program's page on loopback is as foreign as any.
  if (isLoopback(host) && origin.replace(/^https?:\/\//, "") === hostHeader) return undefined;
  return refusal(403, "Pages of this origin may not call this server. Allow the origin by name to let them.");
}

/** The token that a request comes with. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
}

/** Digests are equally long, so the comparison takes equally long for every guess. */
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
