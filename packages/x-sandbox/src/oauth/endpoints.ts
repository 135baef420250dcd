import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/exchange.ts";
import { tooLarge } from "../http/problems.ts";
import { readText } from "../http/read-body.ts";
import { askConsent, decide, sendBack } from "./authorize.ts";
import type { Registry } from "./grants.ts";
import { exchangeAppToken, exchangeToken, revokeToken } from "./token.ts";

/** Faults and the journal use `name`. */
export interface OAuthEndpoint {
  readonly name: string;
  readonly serve: (call: Call, registry: Registry) => Answer | Promise<Answer>;
}

export function oauthEndpointOf(method: string, path: string): OAuthEndpoint | undefined {
  return endpoints[`${method} ${path}`];
}

const authorize: OAuthEndpoint = {
  name: "oauth2.authorize",
  serve: (call, registry) => askConsent(call.query, registry),
};

const decision: OAuthEndpoint = {
  name: "oauth2.authorize",
  serve: (call, registry) =>
    withForm(call, (form) =>
      sendBack(decide(call.query, form.get("user") ?? "", form.get("decision") === "approve", registry)),
    ),
};

const endpoints: Readonly<Record<string, OAuthEndpoint>> = {
  "GET /i/oauth2/authorize": authorize,
  "GET /2/oauth2/authorize": authorize,
  "POST /i/oauth2/authorize": decision,
  "POST /2/oauth2/authorize": decision,
  "POST /2/oauth2/token": {
    name: "oauth2.token",
    serve: (call, registry) => withForm(call, (form) => exchangeToken(call, form, registry)),
  },
  "POST /2/oauth2/revoke": {
    name: "oauth2.revoke",
    serve: (call, registry) => withForm(call, (form) => revokeToken(call, form, registry)),
  },
  "POST /oauth2/token": {
    name: "oauth2.app_token",
    serve: (call, registry) => withForm(call, (form) => exchangeAppToken(call, form, registry)),
  },
};

export const oauthEndpointNames: readonly string[] = [
  ...new Set(Object.values(endpoints).map(({ name }) => name)),
];

async function withForm(call: Call, answer: (form: URLSearchParams) => Answer): Promise<Answer> {
  const text = await readText(call.body, maxFormBytes);
  return text === undefined ? tooLarge(maxFormBytes) : answer(new URLSearchParams(text));
}

const maxFormBytes = 65_536;
