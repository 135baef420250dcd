import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import type { Outcome } from "@toolpact/outcome";
import { refusal } from "./http-gate.ts";
import { issuerKeys, type KeySet } from "./issuer-keys.ts";
import type { Principal, TokenExtra } from "./principal.ts";

/** An OAuth 2.1 authorization server whose tokens this server takes. */
export interface OAuthOptions {
  readonly issuer: string;
  /** This server's public address, which every token must be meant for. */
  readonly resource: string;
  /** Scopes that clients are told about, beside those of the tools. */
  readonly scopes?: readonly string[];
  /** Whom the product knows by the token of an issuer. Without it, everybody whom the issuer vouches for may call. */
  readonly principal?: (token: VerifiedToken) => Promise<Principal | Unadmitted>;
  /** The scopes that a call of this tool needs beside those that were granted. */
  readonly missingScopes?: (tool: string, granted: readonly string[]) => readonly string[];
}

/** What an issuer says of a caller. */
export interface VerifiedToken {
  readonly subject: string | undefined;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Why somebody whom an issuer vouches for may not call. */
export type Unadmitted =
  | { readonly refused: "unknown"; readonly message: string }
  /** Any of these would do. */
  | { readonly refused: "scope"; readonly scopes: readonly string[] };

/** This server as an OAuth resource server (RFC 9728). */
export interface ResourceServer {
  /** Who calls, or the challenge that points a client to where it gets a token. */
  readonly admit: (request: Request) => Promise<AuthInfo | Response>;
  /** 403 naming all the scopes a call needs, or undefined. */
  readonly challenge: (auth: AuthInfo, needed: readonly string[]) => Response | undefined;
  /** The metadata document, where the request asks for it. */
  readonly metadata: (request: Request) => Response | undefined;
}

export function resourceServer(
  { issuer, resource, principal }: OAuthOptions,
  scopes: readonly string[],
  onError?: (error: Error) => void,
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
  const keys = issuerKeys(issuer);
  const bearer = {
    verifier: {
      verifyAccessToken: async (token: string) => verify(token, { issuer, resource: address }, await keys()),
    },
    expectedResource: address,
    resourceMetadataUrl: metadataUrl,
  };
  const insufficientScope = (needed: readonly string[]) =>
    new Response(null, {
      status: 403,
      headers: {
        "www-authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}", resource_metadata="${metadataUrl}"`,
      },
    });
  /** The same token as somebody whom the product knows, where it knows its callers by name. */
  async function known(auth: AuthInfo): Promise<AuthInfo | Response> {
    if (principal === undefined) return auth;
    const { clientId, scopes, extra } = auth;
    const { subject } = extra as TokenExtra;
    const found = await principal({ subject, clientId, scopes });
    if ("id" in found) return { ...auth, extra: { ...extra, principal: found } };
    return found.refused === "scope" ? insufficientScope(found.scopes) : refusal(403, found.message);
  }
  return {
    admit: (request) =>
      verifyBearerToken(request.headers.get("authorization") ?? undefined, bearer)
        .then(known)
        .catch((error) => {
          if (error instanceof OAuthError) return bearerAuthChallengeResponse(error, bearer);
          onError?.(error);
          return uncheckedToken();
        }),
    challenge: (auth, needed) =>
      needed.every((scope) => auth.scopes.includes(scope)) ? undefined : insufficientScope(needed),
    metadata: (request) =>
      new URL(request.url).pathname === new URL(metadataUrl).pathname
        ? Response.json(document, { headers: ANY_PAGE })
        : undefined,
  };
}

/** Neither admitted nor refused: what tells tokens apart cannot be used now. */
export function uncheckedToken(): Response {
  return refusal(503, "Tokens cannot be checked right now. Try again in a few seconds.", {
    "retry-after": "5",
  });
}

/** The metadata is for everybody, and a page asks for it before it can have a token. */
const ANY_PAGE = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

/** The token may be valid; it cannot be verified now. */
class IssuerUnavailable extends Error {}

async function verify(
  token: string,
  { issuer, resource }: { readonly issuer: string; readonly resource: URL },
  keys: Outcome<KeySet, string>,
): Promise<AuthInfo> {
  if (!keys.ok) throw new IssuerUnavailable(keys.failure);
  const { errors, jwtVerify } = await import("./jose.ts");
  const { payload } = await jwtVerify(token, keys.value, { issuer, audience: resource.href }).catch(
    (error) => {
      const aboutToken = error instanceof errors.JOSEError && !ABOUT_KEYS.has(error.code);
      throw aboutToken
        ? new OAuthError(OAuthErrorCode.InvalidToken, "The token is not valid here.")
        : new IssuerUnavailable("The issuer's keys cannot be read.", { cause: error });
    },
  );
  return {
    token,
    clientId: String(payload.client_id ?? payload.azp ?? payload.sub ?? ""),
    scopes: scopesOf(payload.scope ?? payload.scp),
    ...(payload.exp !== undefined && { expiresAt: payload.exp }),
    resource,
    extra: { issuer, subject: payload.sub } satisfies TokenExtra,
  };
}

/** What jose says when a key set cannot be fetched or read; anything that is not its own error means the same. */
const ABOUT_KEYS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"]);

/** One text with spaces between, as RFC 9068 has it, or the list that some issuers send as `scp`. */
function scopesOf(claim: unknown): string[] {
  return Array.isArray(claim)
    ? claim.map(String)
    : String(claim ?? "")
        .split(" ")
        .filter(Boolean);
}
