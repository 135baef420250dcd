import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { refusal, uncheckedToken } from "./http-gate.ts";
import type { Principal, TokenExtra } from "./request.ts";

/** An authorization server whose tokens this server accepts. */
export interface OAuthOptions {
  readonly issuer: string;
  /** This server's public address, the audience every token must have. */
  readonly resource: string;
  /** Published in addition to the tools' scopes. */
  readonly scopes?: readonly string[];
  /** Without it, every token of the issuer is accepted. */
  readonly principal?: (token: VerifiedToken) => Promise<Principal | Unadmitted>;
  /** Scopes a call requires beyond the granted ones. */
  readonly missingScopes?: (tool: string, granted: readonly string[]) => readonly string[];
}

interface VerifiedToken {
  readonly subject: string | undefined;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export type Unadmitted =
  | { readonly refused: "unknown"; readonly message: string }
  | { readonly refused: "scope"; readonly scopes: readonly string[] };

/** This server, as in RFC 9728. */
export interface ResourceServer {
  /** The caller, or the challenge that tells a client where to get a token. */
  readonly admit: (request: Request) => Promise<AuthInfo | Response>;
  /** A 403 with all scopes a call requires; undefined if it has them. */
  readonly challenge: (
    auth: AuthInfo,
    needed: readonly string[],
  ) => Response | undefined | Promise<Response | undefined>;
  readonly metadata: (request: Request) => Response | undefined | Promise<Response | undefined>;
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

/** Public, because a page requests it before it has a token. */
export const ANY_PAGE = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

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

/** For key sets that cannot be fetched or read. Other libraries' errors mean the same. */
const ABOUT_KEYS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"]);

/** Text (RFC 9068), or the list some issuers send as `scp`. */
function scopesOf(claim: unknown): string[] {
  return Array.isArray(claim)
    ? claim.map(String)
    : String(claim ?? "")
        .split(" ")
        .filter(Boolean);
}

type KeySet = ReturnType<typeof import("jose").createRemoteJWKSet>;

const BACK_OFF_MS = 5_000;
const PATIENCE_MS = 5_000;

/**
 * Signing keys, discovered on first use. Concurrent callers share one discovery; after a failure there is
 * none for a while.
 */
export function issuerKeys(
  issuer: string,
  now: () => number = Date.now,
): () => Promise<Outcome<KeySet, string>> {
  let search: Promise<Outcome<KeySet, string>> | undefined;
  let searchAgainAt = Number.POSITIVE_INFINITY;
  return () => {
    if (search === undefined || now() >= searchAgainAt) {
      searchAgainAt = Number.POSITIVE_INFINITY;
      search = discover(issuer).then((found) => {
        if (!found.ok) searchAgainAt = now() + BACK_OFF_MS;
        return found;
      });
    }
    return search;
  };
}

async function discover(issuer: string): Promise<Outcome<KeySet, string>> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const flaws: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    const found = await keysAddress(address, issuer, signal);
    if (found.ok) return ok((await import("./jose.ts")).createRemoteJWKSet(found.value));
    flaws.push(`${address}: ${found.failure}`);
  }
  return failed(`No keys of the issuer were found. ${flaws.join("; ")}.`);
}

/** RFC 8414 puts its name before the issuer's path, OpenID Connect after it, and many servers mix them. */
function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
    `${origin}/.well-known/${name}${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/${name}`]),
  ]);
}

async function keysAddress(
  address: string,
  issuer: string,
  signal: AbortSignal,
): Promise<Outcome<URL, string>> {
  let metadata: { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  try {
    // A redirect could lead into the network of this machine.
    const answer = await fetch(address, { signal, redirect: "error" });
    if (!answer.ok) return failed(`status ${answer.status}`);
    metadata = (await answer.json()) as typeof metadata;
  } catch (error) {
    return failed(`cannot be read (${(error as Error).name})`);
  }
  // RFC 8414 §3.3: metadata of another issuer must not be used.
  if (metadata?.issuer !== issuer) return failed("it is not this issuer's");
  const { jwks_uri } = metadata;
  if (typeof jwks_uri !== "string" || !URL.canParse(jwks_uri)) return failed("it has no jwks_uri");
  const keys = new URL(jwks_uri);
  return keys.protocol === "https:" || keys.origin === new URL(issuer).origin
    ? ok(keys)
    : failed("its jwks_uri is neither https nor at the issuer");
}
