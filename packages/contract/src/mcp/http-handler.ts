import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import { once } from "@toolpact/outcome";
import type { McpApp } from "./app.ts";
import { endWhenRevoked } from "./end-revoked.ts";
import { type EarlyParts, partsWithoutSdk } from "./fast-path/early-parts.ts";
import { HttpFastPath } from "./fast-path/http-fast-path.ts";
import { belongsToSession, parseBody, readStream, type ToolCall, toolCalls } from "./http-body.ts";
import {
  type Admission,
  bearerOf,
  gateOf,
  isToken,
  preflight,
  readableBy,
  refusal,
  refusedCallers,
  refuseNames,
  refuseRebinding,
  uncheckedToken,
  wantsToken,
} from "./http-gate.ts";
import type { HttpHandler, HttpHandlerOptions, ReadBody } from "./http-options.ts";
import { type Connection, internals } from "./internals.ts";
import { headerChecks } from "./mirrored-arguments.ts";
import type { OAuthOptions, ResourceServer } from "./oauth.ts";
import { isMetrics, Probes } from "./probes.ts";
import { authOf, membersOf, type Principal, principalOf, TOKEN_PRINCIPAL } from "./request.ts";
import type { SdkHttp } from "./sdk-http.ts";

export const PATH = "/mcp";
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const HEADER_MISMATCH = -32020;
const NOT_FOUND = -32602;

/**
 * Creates the request handler of an app.
 *
 * ```ts
 * const { fetch } = createHttpHandler(app, { token: "a long secret" });
 * ```
 */
export function createHttpHandler(app: McpApp, options: HttpHandlerOptions = {}): HttpHandler {
  return httpParts(app, options).handler;
}

export function httpParts(
  app: McpApp,
  options: HttpHandlerOptions = {},
): { readonly handler: HttpHandler; readonly fastPath: HttpFastPath | undefined } {
  const { mayHear } = app[internals];
  const maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
  const link = {
    transport: "http",
    listsDiffer:
      options.identify !== undefined ||
      options.oauth?.principal !== undefined ||
      options.signIn !== undefined,
    ...(options.token !== undefined && { principal: TOKEN_PRINCIPAL }),
    ...(options.telemetry && { telemetry: options.telemetry }),
    onCall: (connection: Connection, ctx: ServerContext) => fastPath?.onCall(connection, ctx),
  } as const;
  let loaded: SdkHttp | undefined;
  // Loaded for the first request that needs it.
  const sdk = once(async () => {
    const { sdkHttp } = await import("./sdk-http.ts");
    const hasSessions = options.legacySessions !== false;
    loaded = sdkHttp(app, { link, hasSessions, maxBodyBytes, onError: options.onError });
    return loaded;
  });
  const scopes = new Map(Object.entries(app.surface.scopes));
  let checked = app.surface.tools;
  let checks = headerChecks(checked);
  const checkOf = (tool: string) => {
    if (checked !== app.surface.tools) {
      checked = app.surface.tools;
      checks = headerChecks(checked);
    }
    return checks.get(tool);
  };
  const gate = gateOf(options);
  const toolScopes = [...new Set([...(options.oauth?.scopes ?? []), ...[...scopes.values()].flat()])].sort();
  const signIn = options.signIn?.connect(toolScopes, (error) => options.onError?.(error));
  const oauth = options.oauth ? oauthServer(options.oauth, toolScopes, options.onError) : signIn;

  // Metrics need the server's own token: an issuer's tokens do not open them.
  const { metrics: _guarded, ...openProbes } = options;
  const hasToken = options.oauth === undefined && options.token !== undefined;
  const hidesMetrics = oauth !== undefined && options.metricsToken === undefined && !hasToken;
  const probes = new Probes(hidesMetrics ? openProbes : options, options.token);
  const listening = new WeakSet<Response>();
  const reportRefused = refusedCallers(options.onError, oauth !== undefined);

  async function answer(
    request: Request,
    readBody: ReadBody,
    address = "",
    onKnown = () => {},
  ): Promise<Response> {
    const refusedProbe = isMetrics(request) ? refuseRebinding(request.headers, gate) : undefined;
    if (refusedProbe !== undefined) return refusedProbe;
    const probed = await probes.respond(request);
    if (probed !== undefined) return probed;
    const metadata = await oauth?.metadata(request);
    if (metadata !== undefined) return metadata;
    const refused = refuseRebinding(request.headers, gate);
    if (refused !== undefined) return refused;
    const origin = request.headers.get("origin");
    const answering = () => answerAllowed(request, readBody, address, onKnown);
    if (origin === null) return answering();
    return preflight(request, origin) ?? readableBy(origin, await answering());
  }

  async function answerAllowed(
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ): Promise<Response> {
    if (new URL(request.url).pathname !== PATH)
      return listensTo(
        (await signIn?.answer(request, readBody, address)) ??
          (await options.extension?.answer(request, readBody, address, onKnown)) ??
          refusal(404, `Nothing here; the server is at ${PATH}.`),
      );
    const auth = await admit(request);
    if (auth instanceof Response) return reportRefused(auth, request.headers);
    onKnown();
    if (request.method !== "POST")
      return listensTo(endWhenRevoked(await serve(request, undefined, auth), auth));

    const tooLong = Number(request.headers.get("content-length") ?? 0) > maxBodyBytes;
    const bytes = tooLong ? undefined : await readBody(maxBodyBytes);
    if (bytes === undefined)
      return refusal(413, `The request is larger than ${maxBodyBytes} bytes. Send less.`);
    const body = parseBody(bytes);
    if (body instanceof Response) return body;
    const calls = toolCalls(body.json);
    const response =
      (await challengeOf(auth, calls)) ??
      (await refuseContradiction(request, body.json, calls)) ??
      (await refuseListening(body.json, auth)) ??
      (await serve(request, body.json, auth));
    return membersOf(body.json).method === "subscriptions/listen"
      ? listensTo(endWhenRevoked(response, auth))
      : response;
  }

  /** Asks a caller for more scopes. The product's own tokens have none. */
  function challengeOf(auth: AuthInfo | undefined, calls: readonly ToolCall[]) {
    if (auth === undefined || (auth.extra?.issuer === undefined && auth !== signIn?.anonymous))
      return undefined;
    const needed = calls.flatMap(({ name }) => [
      ...(scopes.get(name) ?? []),
      ...(signIn?.missingScopes(name, auth) ?? options.oauth?.missingScopes?.(name, auth.scopes) ?? []),
    ]);
    return oauth?.challenge(auth, needed);
  }

  function listensTo(response: Response): Response {
    listening.add(response);
    return response;
  }

  async function admit(request: Request): Promise<AuthInfo | Response | undefined> {
    const known = fastPath?.admissionOf(request);
    const auth =
      known === undefined ? await admitToken(request.headers.get("authorization")) : known.admission;
    return auth === "unknown" ? (oauth?.admit(request) ?? wantsToken()) : auth;
  }

  async function admitToken(authorization: string | null | undefined): Promise<Admission> {
    const given = bearerOf(authorization);
    if (given !== undefined) {
      if (options.token !== undefined && isToken(given, options.token)) return undefined;
      const known = await identified(given);
      if (known instanceof Response) return known;
      if (known !== undefined) return authOf(given, known);
      const signedIn = await signIn?.identify(given);
      if (signedIn !== undefined) return signedIn;
    } else if (signIn?.anonymous !== undefined) return signIn.anonymous;
    const isOpen = options.token === undefined && (given === undefined || options.identify === undefined);
    return isOpen && oauth === undefined ? undefined : "unknown";
  }

  async function identified(token: string): Promise<Principal | Response | undefined> {
    try {
      return await options.identify?.(token);
    } catch (error) {
      options.onError?.(error as Error);
      return uncheckedToken();
    }
  }

  async function serve(
    request: Request,
    parsedBody: unknown,
    authInfo: AuthInfo | undefined,
  ): Promise<Response> {
    const { sessions, isLegacy, fetch } = await sdk();
    if (
      sessions !== undefined &&
      belongsToSession(request, parsedBody) &&
      (await isLegacy(request, parsedBody))
    ) {
      await fastPath?.handOverSession(request, authInfo);
      return sessions.fetch(request, parsedBody, authInfo);
    }
    return fetch(request, parsedBody, authInfo);
  }

  /** Modern clients repeat some arguments in headers. */
  async function refuseContradiction(
    request: Request,
    body: unknown,
    [call]: readonly ToolCall[],
  ): Promise<Response | undefined> {
    const flaw = call && checkOf(call.name)?.(request.headers, call.args);
    if (call === undefined || flaw === undefined) return undefined;
    if (await (await sdk()).isLegacy(request, body)) return undefined;
    const error = { code: HEADER_MISMATCH, message: `The headers contradict the body: ${flaw}.` };
    return Response.json({ jsonrpc: "2.0", id: call.id, error }, { status: 400 });
  }

  /** Rejects subscriptions to resources the caller may not see. */
  async function refuseListening(body: unknown, auth: AuthInfo | undefined): Promise<Response | undefined> {
    const { id, method, params } = membersOf(body);
    if (method !== "subscriptions/listen") return undefined;
    const { resourceSubscriptions } = membersOf(membersOf(params).notifications);
    const principal = auth === undefined ? link.principal?.id : principalOf(auth);
    for (const uri of Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []) {
      if (typeof uri !== "string" || (await mayHear(uri, principal))) continue;
      const error = { code: NOT_FOUND, message: "Resource not found", data: { uri } };
      return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
    }
    return undefined;
  }

  /** Those that passed the check. */
  const hosts = new Set<string>();
  function isHost(host = ""): boolean {
    if (hosts.has(host)) return true;
    if (refuseNames(host, null, gate) !== undefined) return false;
    if (hosts.size < MAX_HOSTS) hosts.add(host);
    return true;
  }

  const isOpen = options.token === undefined && options.identify === undefined && oauth === undefined;
  const fastPath =
    options.fastPath === false
      ? undefined
      : new HttpFastPath({
          sessions: () => loaded?.sessions,
          early: earlyParts(app, options),
          principal: link.principal,
          isChecked: (call, auth) =>
            checkOf(call.name) !== undefined || challengeOf(auth, [call]) !== undefined,
          isAllowed: ({ host }) => isHost(host) && options.oauth === undefined,
          admit: (authorization) => (isOpen ? undefined : admitToken(authorization)),
          maxBodyBytes,
        });

  const handler: HttpHandler = {
    fetch: (request) => answer(request, (maxBytes) => readStream(request.body, maxBytes)),
    answer,
    probes,
    isListening: (response) => listening.has(response),
    async close() {
      fastPath?.close();
      await Promise.all([sdk.current()?.then(({ close }) => close()), options.extension?.close()]);
    },
  };
  return { handler, fastPath };
}

/** Undefined if lists depend on the caller, or telemetry must see every request. */
function earlyParts(app: McpApp, options: HttpHandlerOptions): EarlyParts | undefined {
  const { identify, oauth, signIn } = options;
  if (identify !== undefined || oauth !== undefined || signIn !== undefined) return undefined;
  return partsWithoutSdk(app, options.telemetry);
}

/** Loaded for the first request. */
function oauthServer(
  ...options: [OAuthOptions, readonly string[], HttpHandlerOptions["onError"]]
): ResourceServer {
  const server = once(async () => (await import("./oauth.ts")).resourceServer(...options));
  return {
    admit: async (request) => (await server()).admit(request),
    challenge: async (auth, needed) => (await server()).challenge(auth, needed),
    metadata: async (request) => (await server()).metadata(request),
  };
}

const MAX_HOSTS = 100;
