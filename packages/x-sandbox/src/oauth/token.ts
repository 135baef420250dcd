import { createHash } from "node:crypto";
import { type Answer, success } from "../http/answer.ts";
import type { Call } from "../http/exchange.ts";
import type { App } from "./apps.ts";
import type { CodeRequest, IssuedTokens, Registry } from "./grants.ts";

/** `POST /2/oauth2/token` */
export function exchangeToken(call: Call, form: URLSearchParams, registry: Registry): Answer {
  const app = clientOf(call, form, registry.apps);
  if ("status" in app) return app;
  switch (form.get("grant_type")) {
    case "authorization_code":
      return exchangeCode(form, app, registry);
    case "refresh_token": {
      const tokens = registry.grants.refresh(form.get("refresh_token") ?? "", app, registry.now);
      return tokens === undefined
        ? refused("invalid_request", "Value passed for the token was invalid.")
        : issued(tokens);
    }
    default:
      return refused(
        "unsupported_grant_type",
        "Value passed for grant_type must be authorization_code or refresh_token.",
      );
  }
}

/** `POST /oauth2/token` */
export function exchangeAppToken(call: Call, form: URLSearchParams, registry: Registry): Answer {
  const [key, secret] = basicCredentials(call);
  const app = registry.apps.find(
    (candidate) => candidate.consumerKey === key && candidate.consumerSecret === secret,
  );
  if (app === undefined) return refused("invalid_client", "Unable to verify your credentials", 403);
  if (form.get("grant_type") !== "client_credentials")
    return refused("invalid_request", "Missing or invalid grant_type");
  return success({ token_type: "bearer", access_token: app.bearerToken });
}

/** `POST /2/oauth2/revoke` */
export function revokeToken(call: Call, form: URLSearchParams, registry: Registry): Answer {
  const app = clientOf(call, form, registry.apps);
  if ("status" in app) return app;
  registry.grants.revoke(form.get("token") ?? "", app);
  return success({ revoked: true });
}

function exchangeCode(form: URLSearchParams, app: App, registry: Registry): Answer {
  const request = registry.grants.takeCode(form.get("code") ?? "", registry.now);
  if (request === undefined || request.app.clientId !== app.clientId) {
    return refused("invalid_request", "Value passed for the authorization code was invalid.");
  }
  if (form.get("redirect_uri") !== request.redirectUri)
    return refused("invalid_request", "Value passed for the redirect uri did not match.");
  if (!answersChallenge(form.get("code_verifier") ?? "", request)) {
    return refused("invalid_request", "Value passed for the code verifier did not match the code challenge.");
  }
  return issued(registry.grants.issue({ app, userId: request.userId, scopes: request.scopes }, registry.now));
}

/** Confidential clients must use HTTP Basic; public ones send their id in the form. */
function clientOf(call: Call, form: URLSearchParams, apps: readonly App[]): App | Answer {
  const [id, secret] = basicCredentials(call);
  const app = apps.find((candidate) => candidate.clientId === (id ?? form.get("client_id")));
  if (app === undefined) return refused("invalid_client", "Value passed for the client_id was invalid.", 401);
  if (app.clientSecret !== undefined && app.clientSecret !== secret) {
    return refused("unauthorized_client", "Missing valid authorization header", 401);
  }
  return app;
}

function basicCredentials(call: Call): [string?, string?] {
  const [, encoded] = /^basic (.+)$/i.exec(call.header("authorization") ?? "") ?? [];
  if (encoded === undefined) return [];
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon === -1 ? [] : [decoded.slice(0, colon), decoded.slice(colon + 1)];
}

function answersChallenge(verifier: string, { challenge, challengeMethod }: CodeRequest): boolean {
  if (verifier === "") return false;
  return challengeMethod === "plain"
    ? verifier === challenge
    : createHash("sha256").update(verifier).digest("base64url") === challenge;
}

function issued(tokens: IssuedTokens): Answer {
  return success({
    token_type: "bearer",
    expires_in: tokens.expiresInSeconds,
    access_token: tokens.accessToken,
    scope: tokens.scopes.join(" "),
    ...(tokens.refreshToken !== undefined && { refresh_token: tokens.refreshToken }),
  });
}

function refused(error: string, description: string, status = 400): Answer {
  return { status, body: { error, error_description: description } };
}
