import type { Auth, Operation } from "@toolpact/x-api/operations";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/exchange.ts";
import * as problems from "../http/problems.ts";
import type { App } from "../oauth/apps.ts";
import type { Registry } from "../oauth/grants.ts";
import { signerOf } from "../oauth/oauth1.ts";
import type { Person } from "../world/person.ts";

export type Caller =
  | { readonly kind: "app"; readonly app: App }
  | {
      readonly kind: "user";
      readonly app: App;
      readonly person: Person;
      readonly scopes: readonly string[] | undefined;
    };

export type Authenticated = { readonly caller: Caller } | { readonly refusal: Answer };

/** The operation must accept this kind of caller. */
export function authenticate(call: Call, operation: Operation, registry: Registry): Authenticated {
  const caller = callerOf(call, registry);
  if (caller === undefined) return { refusal: problems.unauthorized() };
  const refusal = refusalFor(caller, operation.auth);
  return refusal === undefined ? { caller } : { refusal };
}

export function callerOf(call: Call, registry: Registry): Caller | undefined {
  const authorization = call.header("authorization") ?? "";
  if (authorization.startsWith("OAuth ")) {
    const signer = signerOf(call, authorization, registry.apps);
    const person = registry.world.people.get(signer?.userId ?? "");
    if (signer === undefined || person === undefined) return undefined;
    return { kind: "user", app: signer.app, person, scopes: undefined };
  }
  if (!/^bearer /i.test(authorization)) return undefined;
  const token = authorization.slice("bearer ".length);
  const app = registry.apps.find((candidate) => candidate.bearerToken === token);
  if (app !== undefined) return { kind: "app", app };
  const grant = registry.grants.holder(token, registry.now);
  const person = registry.world.people.get(grant?.userId ?? "");
  if (grant === undefined || person === undefined) return undefined;
  return { kind: "user", app: grant.app, person, scopes: grant.scopes };
}

function refusalFor(caller: Caller, accepted: readonly Auth[]): Answer | undefined {
  const scheme = caller.kind === "app" ? "bearer" : caller.scopes === undefined ? "oauth1" : "oauth2";
  const rule = accepted.find((auth) => auth.scheme === scheme);
  if (rule === undefined) {
    return problems.unsupportedAuthentication(
      schemeNames[scheme],
      accepted.map((auth) => schemeNames[auth.scheme]),
    );
  }
  if (caller.kind === "user") {
    if (caller.person.accountStatus === "suspended") return problems.accountSuspended();
    if (caller.person.accountStatus === "locked") return problems.accountLocked();
    if (rule.scheme === "oauth2" && !rule.scopes.every((scope) => caller.scopes?.includes(scope))) {
      return problems.missingScope();
    }
  }
  return caller.app.enrolled ? undefined : problems.clientNotEnrolled(caller.app.clientId);
}

const schemeNames: Readonly<Record<Auth["scheme"], string>> = {
  bearer: "OAuth 2.0 Application-Only",
  oauth2: "OAuth 2.0 User Context",
  oauth1: "OAuth 1.0a User Context",
};
