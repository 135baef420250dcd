import {
  type AuthInfo,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import type { TokenExtra } from "./principal.ts";

/** An OAuth 2.1 authorization server whose tokens this server takes. */
export interface OAuthOptions {
  readonly issuer: string;
  /** This server's public address, which every token must be meant for. */
  readonly resource: string;
}

/** This server as an OAuth resource server (RFC 9728). */
export interface ResourceServer {
  /** Who calls, or the challenge that tells a client where to get a token. */
  readonly admit: (request: Request) => Promise<AuthInfo | Response>;
  /** 403 naming all the scopes a call needs, or undefined. */
  readonly challenge: (auth: AuthInfo, needed: readonly string[]) => Response | undefined;
  /** The metadata document, where the request asks for it. */
  readonly metadata: (request: Request) => Response | undefined;
}

export function resourceServer(
  { issuer, resource }: OAuthOptions,
  scopes: readonly string[],
): ResourceServer {
  const address = new URL(resource);
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(address);
  const document = buildOAuthProtectedResourceMetadata({
    oauthMetadata: {
      issuer,
      authorization_endpoint: "",
      token_endpoint: "",
      response_types_supported: ["code"],
    },
    resourceServerUrl: address,
    scopesSupported: [...scopes],
  });
  const admit = requireBearerAuth({
    verifier: { verifyAccessToken: (token) => verify(token, issuer, address) },
    expectedResource: address,
    resourceMetadataUrl: metadataUrl,
  });
  return {
    admit,
    challenge(auth, needed) {
      if (needed.every((scope) => auth.scopes.includes(scope))) return undefined;
      return new Response(null, {
        status: 403,
        headers: {
          "www-authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}", resource_metadata="${metadataUrl}"`,
        },
      });
    },
    metadata: (request) =>
      new URL(request.url).pathname === new URL(metadataUrl).pathname ? Response.json(document) : undefined,
  };
}

type KeySet = ReturnType<typeof import("jose").createRemoteJWKSet>;
const keySets = new Map<string, KeySet>();

async function verify(token: string, issuer: string, resource: URL): Promise<AuthInfo> {
  const { jwtVerify } = await import("jose");
  const keys = await keysOf(issuer);
  const verified = await jwtVerify(token, keys, { issuer, audience: resource.href }).catch(() => undefined);
  if (verified === undefined)
    throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is not valid here.");
  const { payload } = verified;
  return {
    token,
    clientId: String(payload.client_id ?? payload.azp ?? payload.sub ?? ""),
    scopes: String(payload.scope ?? "")
      .split(" ")
      .filter(Boolean),
    ...(payload.exp !== undefined && { expiresAt: payload.exp }),
    resource,
    extra: { issuer, subject: payload.sub } satisfies TokenExtra,
  };
}

async function keysOf(issuer: string): Promise<KeySet> {
  const known = keySets.get(issuer);
  if (known !== undefined) return known;
  const { createRemoteJWKSet } = await import("jose");
  const answer = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/oauth-authorization-server`, {
    signal: AbortSignal.timeout(5000),
  });
  const { jwks_uri } = (await answer.json()) as { jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  keySets.set(issuer, keys);
  return keys;
}
