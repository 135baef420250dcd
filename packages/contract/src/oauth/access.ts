import type { AuthInfo } from "@modelcontextprotocol/server";
import { refusal, uncheckedToken } from "../mcp/http-gate.ts";
import { PATH } from "../mcp/http-handler.ts";
import { ANY_PAGE } from "../mcp/oauth.ts";
import { ANONYMOUS, knownPrincipal, type Principal, type TokenExtra } from "../mcp/request.ts";
import type { SignInEndpoints } from "../mcp/sign-in.ts";
import { BASE_SCOPE } from "./consent.ts";
import { RESOURCE_METADATA } from "./metadata.ts";
import type { Access, AccessTokens } from "./tokens.ts";

interface AccessSetting {
  readonly issuer: () => string;
  readonly resource: () => string;
  readonly firstScopes: () => readonly string[];
  readonly tokens: () => Promise<AccessTokens>;
  readonly documents: () => ReadonlyMap<string, object>;
  readonly hasPublicTools: boolean;
  readonly principal: ((access: Access) => Promise<Principal | undefined>) | undefined;
  readonly missingScopes: ((tool: string, caller: Principal | undefined) => readonly string[]) | undefined;
  readonly onError: (error: Error) => void;
}

/** Tokens at `/mcp`, and challenges that send clients to sign in. */
export function resourceAccess(setting: AccessSetting): Omit<SignInEndpoints, "answer"> {
  const { issuer, resource, firstScopes, tokens, documents, principal, onError } = setting;

  function challenge(status: 401 | 403, asked: readonly string[], error?: string): Response {
    const parts = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      `resource_metadata="${issuer()}${RESOURCE_METADATA}${PATH}"`,
      `scope="${asked.join(" ")}"`,
    ];
    const message =
      status === 401
        ? "Sign in to use this server."
        : "The user has not allowed this client to use this tool.";
    return refusal(status, message, { "www-authenticate": `Bearer ${parts.join(", ")}` });
  }

  const anonymous: AuthInfo | undefined = setting.hasPublicTools
    ? { token: "", clientId: "anonymous", scopes: [], extra: { principal: ANONYMOUS } }
    : undefined;

  const known = new WeakMap<Access, Promise<AuthInfo | undefined>>();

  async function authOf(token: string, access: Access): Promise<AuthInfo | undefined> {
    const { subject, clientId, grantId, scopes, expiresAt } = access;
    const isGranted = async () => (await tokens()).isGranted(grantId);
    if (principal === undefined) return authWith({ id: `${subject} via ${clientId}`, isValid: isGranted });
    const found = await principal(access);
    return (
      found &&
      authWith({
        id: found.id,
        get surface() {
          return found.surface;
        },
        isValid: async () => (await isGranted()) && ((await found.isValid?.()) ?? true),
      })
    );

    function authWith(caller: Principal): AuthInfo {
      const extra: TokenExtra = { issuer: issuer(), subject, principal: caller };
      return { token, clientId, scopes: [...scopes], expiresAt, resource: new URL(resource()), extra };
    }
  }

  return {
    anonymous,
    async identify(token) {
      try {
        const access = await (await tokens()).find(token, resource());
        if (access === undefined) return undefined;
        const auth = known.get(access) ?? authOf(token, access);
        known.set(access, auth);
        auth.catch(() => known.delete(access));
        return await auth;
      } catch (error) {
        onError(error as Error);
        return uncheckedToken();
      }
    },
    missingScopes: (tool, auth) => setting.missingScopes?.(tool, knownPrincipal(auth)) ?? [],
    admit: async ({ headers }) =>
      challenge(401, firstScopes(), headers.has("authorization") ? "invalid_token" : undefined),
    challenge(auth, needed) {
      if (needed.every((one) => auth.scopes.includes(one))) return undefined;
      // Some clients omit scopes they already have.
      const asked = [...new Set([BASE_SCOPE, ...auth.scopes, ...needed])];
      return auth === anonymous ? challenge(401, asked) : challenge(403, asked, "insufficient_scope");
    },
    async metadata(request) {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith("/.well-known/")) return undefined;
      const document = documents().get(pathname);
      return document && Response.json(document, { headers: ANY_PAGE });
    },
  };
}
