import { isJsonObject, parseJson } from "../json.ts";
import { isLoopback, senderBehindProxy } from "../mcp/http-gate.ts";
import type { ReadBody } from "../mcp/http-options.ts";
import { nodeExchange } from "./node-exchange.ts";
import { errorPage } from "./pages.ts";
import { CONSENT_PATH, PATHS, type Provider } from "./provider.ts";
import type { OpenAct } from "./records.ts";
import { authorizationRequest, registrationOf } from "./requests.ts";

interface EndpointSetting {
  readonly provider: () => Promise<Provider>;
  readonly issuer: () => string;
  /** For clients that request none. */
  readonly scopes: () => readonly string[];
  readonly allScopes: () => readonly string[];
  /** False after too many of these, from this address or in total. */
  readonly admit: (act: OpenAct, address: string) => Promise<boolean>;
  readonly hasRegistration: boolean;
  readonly page:
    | ((request: Request, readForm: () => Promise<URLSearchParams>, address: string) => Promise<Response>)
    | undefined;
  /** Called when tokens may have ended. */
  readonly onChange: () => Promise<void>;
}

const MAX_BODY_BYTES = 16_384;

/** Answers requests under `/oauth/`. */
export function endpoints(setting: EndpointSetting) {
  const { provider, issuer, admit, page, hasRegistration, onChange } = setting;

  async function pass(
    request: Pick<Request, "method" | "headers">,
    url: URL,
    address: string,
    body?: Uint8Array,
  ): Promise<Response> {
    const handler = (await provider()).callback();
    const exchange = nodeExchange(request, url, { body, address });
    await handler(exchange.incoming, exchange.outgoing);
    return exchange.response;
  }

  async function register(request: Request, url: URL, address: string, body: Uint8Array): Promise<Response> {
    const sent = parseJson(Buffer.from(body).toString("utf8"));
    if (!isJsonObject(sent)) return oauthError(400, "invalid_client_metadata", "Send a JSON object.");
    const registration = registrationOf(sent);
    if (registration.kind === "rejected") return oauthError(400, registration.error, registration.message);
    if (!(await admit("Registration", address)))
      return oauthError(
        429,
        "temporarily_unavailable",
        "Too many clients were registered. Try again later.",
        LATER,
      );
    return pass(request, url, address, Buffer.from(JSON.stringify(registration.metadata)));
  }

  return async (request: Request, readBody: ReadBody, from: string): Promise<Response | undefined> => {
    const { pathname, search, protocol } = new URL(request.url);
    if (!pathname.startsWith("/oauth/")) return undefined;
    const isBehindProxy = protocol === "http:" && issuer().startsWith("https:");
    const address = isBehindProxy ? senderBehindProxy(request.headers, from) : from;
    const url = new URL(`${pathname}${search}`, issuer());
    const { method } = request;
    if (pathname === PATHS.authorization && method === "GET") {
      if (!(await admit("Authorization", address))) return busyPage();
      // Independent of the browser's earlier requests.
      const headers = new Headers(request.headers);
      headers.delete("cookie");
      const asked = authorizationRequest(url, { first: setting.scopes(), all: setting.allScopes() });
      return undecided(await pass({ method, headers }, asked, address), issuer());
    }
    if (pathname.startsWith(`${PATHS.authorization}/`) && method === "GET")
      return pass(request, url, address);
    const isPage = page !== undefined && pathname === CONSENT_PATH;
    if (isPage && method === "GET") return page(request, async () => new URLSearchParams(), address);
    const isPost = method === "POST" && (POSTS.has(pathname) || isPage);
    if (!isPost || (pathname === PATHS.registration && !hasRegistration))
      return oauthError(404, "invalid_request", `There is no ${method} ${pathname} here.`);
    const body = await readBody(MAX_BODY_BYTES);
    if (body === undefined)
      return oauthError(413, "invalid_request", `Send at most ${MAX_BODY_BYTES} bytes.`);
    if (isPage)
      return page(request, async () => new URLSearchParams(Buffer.from(body).toString("utf8")), address);
    if (pathname === PATHS.registration) return register(request, url, address, body);
    const response = await pass(request, new URL(pathname, url), address, body);
    // Revocation, and reuse of a code or refresh token, end cached tokens.
    if (pathname === PATHS.revocation || !response.ok) await onChange();
    return response;
  };
}

/**
 * An error goes straight to a program on the user's device. For other addresses, which anyone can register,
 * that would be an open redirect before the user decides.
 */
function undecided(response: Response, issuer: string): Response {
  const location = response.headers.get("location");
  if (location === null) return response;
  const target = new URL(location, issuer);
  const isProgram = target.protocol === "http:" && isLoopback(target.hostname);
  if (isProgram || target.origin === issuer) return response;
  const sent = new URLSearchParams(target.search || target.hash.slice(1));
  return failedPage(400, sent.get("error_description") ?? "");
}

const POSTS: ReadonlySet<string> = new Set([PATHS.token, PATHS.revocation, PATHS.registration]);

function oauthError(
  status: number,
  error: string,
  error_description: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { error, error_description },
    { status, headers: { ...headers, "cache-control": "no-store" } },
  );
}

const LATER = { "retry-after": "3600" };

function busyPage(): Response {
  return failedPage(429, "Too many clients asked to sign in. Try again later.", LATER);
}

function failedPage(status: number, reason: string, more: Record<string, string> = {}): Response {
  const headers = { ...errorPage.headers, ...more, "content-type": "text/html; charset=utf-8" };
  return new Response(errorPage.html("", reason), { status, headers });
}
