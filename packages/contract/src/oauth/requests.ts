import type { Json, JsonObject } from "../json.ts";
import { isLoopback } from "../mcp/http-gate.ts";

/** Other parameters, such as those of OpenID Connect, are dropped. */
const PARAMETERS = [
  ...["response_type", "client_id", "redirect_uri", "scope", "state"],
  ...["code_challenge", "code_challenge_method", "resource"],
];

/**
 * Known scopes only, or the first ones if none are named. The user is always asked, so `prompt` is dropped
 * unless it forbids that.
 */
export function authorizationRequest(
  url: URL,
  { first, all }: { readonly first: readonly string[]; readonly all: readonly string[] },
): URL {
  const request = new URL(url.pathname, url);
  for (const name of PARAMETERS)
    for (const value of url.searchParams.getAll(name)) request.searchParams.append(name, value);
  if (url.searchParams.get("prompt") === "none") request.searchParams.set("prompt", "none");
  if (request.searchParams.getAll("scope").length > 1) return request;
  const asked = (request.searchParams.get("scope") ?? "").split(" ");
  const known = all.filter((scope) => asked.includes(scope));
  request.searchParams.set("scope", (known.length === 0 ? first : known).join(" "));
  return request;
}

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECTS = 10;
const MAX_URI_LENGTH = 2_000;

type Registration =
  | { readonly kind: "accepted"; readonly metadata: JsonObject }
  | { readonly kind: "rejected"; readonly error: string; readonly message: string };

/** A public client's metadata. A registered scope would limit later requests, and no client needs a secret. */
export function registrationOf(body: JsonObject): Registration {
  const { redirect_uris, client_name, client_uri } = body;
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > MAX_REDIRECTS)
    return badRedirect(`redirect_uris has 1 to ${MAX_REDIRECTS} addresses`);
  const refused = redirect_uris.find((uri) => !isRedirectUri(uri));
  if (refused !== undefined)
    return badRedirect("a redirect URI is https, loopback http, or the private scheme of an app");
  const name = typeof client_name === "string" ? plainName(client_name) : "";
  return {
    kind: "accepted",
    metadata: {
      redirect_uris,
      ...(name !== "" && { client_name: name }),
      ...(isHttps(client_uri) && { client_uri }),
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  };
}

function badRedirect(message: string): Registration {
  return { kind: "rejected", error: "invalid_redirect_uri", message };
}

/** Browsers handle these schemes themselves. */
const BROWSER_SCHEMES =
  /^(javascript|data|file|vbscript|blob|about|filesystem|view-source|ws|wss|ftp|mailto|tel|chrome|resource|jar):$/;

/** https, http on loopback, and private app schemes such as `cursor:`. */
export function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== "string" || uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password, hash } = new URL(uri);
  if (username !== "" || password !== "" || hash !== "" || uri.includes("#")) return false;
  if (protocol === "https:") return !isLoopback(hostname) && HOST.test(hostname);
  if (protocol === "http:") return isLoopback(hostname);
  return !BROWSER_SCHEMES.test(protocol);
}

/** Other characters, such as ";", have a meaning in a content security policy. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])$/;

function isHttps(uri: Json | undefined): uri is string {
  return typeof uri === "string" && uri.length <= MAX_URI_LENGTH && URL.canParse(uri) && /^https:/.test(uri);
}

/** Removes characters with which a name could imitate other text. */
export function plainName(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu, "").trim();
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH)}…` : plain;
}
