import { operations } from "@toolpact/x-api/operations";
import type { Answer } from "../http/answer.ts";
import { cast } from "../world/seed/cast.ts";
import type { World } from "../world/world.ts";
import type { App } from "./apps.ts";
import type { Registry } from "./grants.ts";

/** `GET …/oauth2/authorize` */
export function askConsent(query: URLSearchParams, registry: Registry): Answer {
  const request = readRequest(query, registry);
  return "complaint" in request ? errorPage(request.complaint) : consentPage(request, query, registry.world);
}

export type Decision = { readonly redirectTo: string } | { readonly complaint: string };

/** Redirects to the app with a code or an error. */
export function decide(
  query: URLSearchParams,
  username: string,
  approved: boolean,
  registry: Registry,
): Decision {
  const request = readRequest(query, registry);
  if ("complaint" in request) return request;
  const { app, scopes, redirectUri, challenge, challengeMethod, state } = request;
  if (!approved) return { redirectTo: withParameters(redirectUri, { error: "access_denied", state }) };
  const person = registry.world.personNamed(username);
  if (person === undefined) return { complaint: `There is nobody called @${username}.` };
  const code = registry.grants.authorize(
    { app, scopes, redirectUri, challenge, challengeMethod, userId: person.id },
    registry.now,
  );
  return { redirectTo: withParameters(redirectUri, { state, code }) };
}

export function sendBack(decision: Decision): Answer {
  if ("complaint" in decision) return errorPage(decision.complaint);
  return { status: 302, body: "", contentType: "text/plain", headers: { location: decision.redirectTo } };
}

interface AuthorizeRequest {
  readonly app: App;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly challenge: string;
  readonly challengeMethod: "S256" | "plain";
}

function readRequest(
  query: URLSearchParams,
  { apps }: Registry,
): AuthorizeRequest | { readonly complaint: string } {
  const app = apps.find((candidate) => candidate.clientId === query.get("client_id"));
  if (app === undefined) return { complaint: "Value passed for client_id is not an app's." };
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!app.redirectUris.includes(redirectUri)) {
    return {
      complaint: `Value passed for redirect_uri is not registered; it must be exactly one of ${app.redirectUris.join(" ")}`,
    };
  }
  if (query.get("response_type") !== "code")
    return { complaint: "Value passed for response_type must be code." };
  const scopes = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  const stray = scopes.find((scope) => !knownScopes.includes(scope));
  if (scopes.length === 0 || stray !== undefined)
    return { complaint: `Value passed for scope is invalid: ${stray ?? "it is empty"}.` };
  const state = query.get("state") ?? "";
  if (state === "" || state.length > 500)
    return { complaint: "Value passed for state must have 1 to 500 characters." };
  const challenge = query.get("code_challenge") ?? "";
  if (challenge === "") return { complaint: "Missing required parameter code_challenge." };
  const challengeMethod = query.get("code_challenge_method") ?? "plain";
  if (challengeMethod !== "S256" && challengeMethod !== "plain")
    return { complaint: "Value passed for code_challenge_method must be S256 or plain." };
  return { app, redirectUri, scopes, state, challenge, challengeMethod };
}

function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** All that operations require, and the others X grants. */
export const knownScopes: readonly string[] = [
  ...new Set([
    ...Object.values(operations).flatMap(({ auth }) =>
      auth.flatMap((rule) => (rule.scheme === "oauth2" ? rule.scopes : [])),
    ),
    "block.write",
    "offline.access",
    "users.email",
  ]),
].sort();

function consentPage(request: AuthorizeRequest, query: URLSearchParams, world: World): Answer {
  const users = Object.values(cast).filter(
    (username) => world.personNamed(username)?.accountStatus === "active",
  );
  return page(
    200,
    `<h1>Let ${escaped(request.app.clientId)} use a sandbox account?</h1>
<p>It asks for:</p>
<ul>${request.scopes.map((scope) => `<li>${escaped(scope)}</li>`).join("")}</ul>
<form method="post" action="?${escaped(query.toString())}">
<label>Account <select name="user">${users.map((name) => `<option>${escaped(name)}</option>`).join("")}</select></label>
<button name="decision" value="approve">Authorize app</button>
<button name="decision" value="deny">Cancel</button>
</form>`,
  );
}

function errorPage(complaint: string): Answer {
  return page(
    400,
    `<h1>Something went wrong</h1><p>You weren't able to give access to the App.</p><p>${escaped(complaint)}</p>`,
  );
}

function page(status: number, content: string): Answer {
  const body = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>X sandbox</title></head><body>${content}</body></html>`;
  return { status, body, contentType: "text/html; charset=utf-8" };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
