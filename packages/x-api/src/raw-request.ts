import { failed, isJsonObject, type Outcome, ok, parseJson } from "@toolpact/outcome";
import { isResultShown } from "./answer.ts";
import { networkError, type ProviderError } from "./errors.ts";
import type { WriteRequest } from "./journal.ts";
import { mapError } from "./map-error.ts";
import type { Method, Operation } from "./operations/index.ts";
import { operationAt, type Route } from "./operations/index.ts";
import { planFor } from "./request-plan.ts";
import { createTransport, type SendArgs, type TransportOptions } from "./transport.ts";

/** The token is sent along, so others are rejected. */
export const xHosts = ["api.x.com", "upload.x.com", "upload.twitter.com", "ads-api.x.com"] as const;

export type XHost = (typeof xHosts)[number];

/** For endpoints outside the operation table. */
export interface RawRequest {
  readonly method: Method;
  readonly host: XHost;
  /** With a slash, without a query. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body?: string;
}

export interface Pair {
  readonly key: string;
  readonly value: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface RawSenderOptions extends TransportOptions {
  /** Default `https://api.x.com`. Any other replaces every host. */
  readonly baseUrl?: string;
  /** OAuth 1.0a instead of a token: returns the `authorization` header. */
  readonly sign?: (method: Method, url: string) => string;
}

/** Sent once, as the user, or as the app if X accepts nothing else. */
export type RawSender = (request: RawRequest, args?: SendArgs) => Promise<Outcome<RawAnswer, ProviderError>>;

/**
 * @example
 * const send = createRawSender({ tokens });
 * const answer = await send({ method: "GET", host: "api.x.com", path: "/2/users/me", query: [], headers: [] });
 */
export function createRawSender(options: RawSenderOptions): RawSender {
  const { sign } = options;
  const base = (options.baseUrl ?? X_ITSELF).replace(/\/+$/, "");
  const transport = createTransport(options);

  return async (request, args = {}) => {
    const override = request.headers.find(({ key }) => METHOD_OVERRIDES.has(key.toLowerCase()));
    if (override !== undefined)
      return failed({ kind: "invalid_request", message: `The header ${override.key} cannot be set.` });
    const headers = Object.fromEntries(request.headers.map(({ key, value }) => [key.toLowerCase(), value]));
    if (!areHeaders(headers))
      return failed({
        kind: "invalid_request",
        message: "A header has a character that no header may have.",
      });
    const { method, path, body } = request;
    const route = operationAt(method, path);
    const plan = route && planFor(route.operation);
    const target = targetOf(request);
    const url = (base === X_ITSELF ? `https://${request.host}` : base) + target;
    return transport.send(
      {
        method,
        url,
        headers,
        body,
        // Outside the table, the user's token comes first.
        authorization: sign
          ? { header: sign(method, url) }
          : plan === undefined || plan.tokens.length === 0
            ? ["user", "app"]
            : plan.tokens,
        write: method === "GET" ? undefined : writeOf(request, route, target),
      },
      args,
      ({ response, content, token, now }) => {
        const { status, headers } = response;
        // Only operations read as bytes have other content.
        const text = String(content);
        if (response.ok)
          return method === "GET" || isClear(request, plan?.operation, text)
            ? ok({ status, headers: response.headers, text })
            : failed(networkError("unreadable", true));
        const scopes = token === "user" ? (plan?.scopes ?? []) : [];
        return failed(
          mapError(status, headers, parseJson(text) ?? text, {
            now,
            ...(scopes.length > 0 && { scopes }),
          }),
        );
      },
    );
  };
}

/** True if a write's answer shows its result or failure. */
function isClear({ host, path }: RawRequest, operation: Operation | undefined, text: string): boolean {
  const json = parseJson(text);
  if (!isJsonObject(json)) return text === "" && operation?.answer.shows === undefined;
  if (json.data === undefined || json.data === null)
    return json.meta !== undefined || json.errors !== undefined;
  // Writes of the Ads API return the resource.
  const isAds = host === "ads-api.x.com" && path.includes("/accounts/");
  if (isAds && isJsonObject(json.data)) return typeof json.data.id === "string" && json.data.id !== "";
  return operation === undefined || isResultShown(operation, json.data);
}

const X_ITSELF = "https://api.x.com";

/** They could turn a read into a write that the journal misses. */
const METHOD_OVERRIDES: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
]);

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return Boolean(new Headers(headers));
  } catch {
    return false;
  }
}

function targetOf({ path, query }: RawRequest): string {
  const search = new URLSearchParams(query.map(({ key, value }) => [key, value])).toString();
  return search === "" ? path : `${path}?${search}`;
}

function writeOf({ method, body }: RawRequest, route: Route | undefined, target: string): WriteRequest {
  const json = body === undefined ? undefined : parseJson(body);
  return {
    operation: route?.operation,
    method,
    path: route?.path ?? {},
    target,
    ...(isJsonObject(json) && { body: json }),
    ...(body !== undefined && { bodyText: body }),
  };
}
