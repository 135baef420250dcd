import { generateKeyPairSync } from "node:crypto";
import type { Adapter, AdapterPayload, Configuration } from "oidc-provider";
import type { JsonObject } from "../json.ts";
import { cookieKeys } from "./cookie-keys.ts";
import { errorPage } from "./pages.ts";
import { isPublicHost } from "./public-host.ts";
import type { Records } from "./records.ts";
import { isRedirectUri } from "./requests.ts";

export const PATHS = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
} as const;

/** Unless the app has its own page. */
export const CONSENT_PATH = "/oauth/consent";

interface ProviderSetting {
  readonly issuer: string;
  /** Every token's required audience. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly records: Records;
  readonly key: Uint8Array;
  /** Separates servers on one host, since cookies ignore ports. */
  readonly cookieSuffix: string;
  readonly consentPath: string;
  readonly hasRegistration: boolean;
  readonly now: () => number;
  readonly fetch: typeof globalThis.fetch;
  /** False after too many metadata documents from this address. */
  readonly mayFetch: (sender: string) => Promise<boolean>;
  readonly onError: (error: Error) => void;
}

/** Records are stored under the library's class names, which some bundlers shorten. */
const CLASS_NAME = /^[A-Z][A-Za-z]{4,}$/;

const ACCESS_SECONDS = 60 * 60;
const CODE_SECONDS = 60;
const DECISION_SECONDS = 15 * 60;
const REFRESH_SECONDS = 60 * 24 * 60 * 60;
const GRANT_SECONDS = 365 * 24 * 60 * 60;

/** Issues opaque tokens for one resource, and asks the user for every code. */
export async function newProvider(setting: ProviderSetting) {
  const { issuer, resource, scopes, records, key, cookieSuffix, consentPath, now } = setting;
  const { default: Provider, errors, interactionPolicy } = await import("oidc-provider");
  const { Prompt, Check } = interactionPolicy;
  const adapter = (model: string): Adapter => {
    if (!CLASS_NAME.test(model))
      throw new Error("The classes of oidc-provider have lost their names. Bundle it with keepNames.");
    return storedAs(model);
  };
  const storedAs = (model: string): Adapter => ({
    // Payloads are plain JSON.
    upsert: (id, payload, seconds) => records.save(model, id, payload as JsonObject, seconds),
    find: async (id) => (await records.find(model, id)) as AdapterPayload | undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async consume(id) {
      if (!(await records.consume(model, id))) throw new errors.InvalidGrant("it was used already");
    },
    destroy: (id) => records.remove(model, id),
    revokeByGrantId: (grantId) => records.revokeGrant(grantId),
  });
  const configuration: Configuration = {
    adapter,
    clientDefaults: {
      application_type: "native",
      id_token_signed_response_alg: "ES256",
      token_endpoint_auth_method: "none",
    },
    clientAuthMethods: ["none"],
    cookies: {
      keys: cookieKeys(key, now),
      names: {
        interaction: `toolpact-consent-${cookieSuffix}`,
        resume: `toolpact-resume-${cookieSuffix}`,
        session: `toolpact-session-${cookieSuffix}`,
      },
      short: { path: "/", httpOnly: true, sameSite: "lax", signed: true },
      long: { path: PATHS.authorization, httpOnly: true, sameSite: "lax", signed: true },
    },
    expiresWithSession: async () => false,
    features: {
      clientIdMetadataDocument: {
        enabled: isPublic(issuer),
        ack: "draft-02",
        allowFetch: async (ctx, id) =>
          (await setting.mayFetch(ctx?.ip ?? "")) && isPublicHost(new URL(id).hostname),
        allowClient: async (_ctx, { redirectUris = [] }) => redirectUris.every(isRedirectUri),
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: setting.hasRegistration, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        getResourceServerInfo: async (_ctx, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget();
          return { audience: resource, scope: scopes.join(" "), accessTokenFormat: "opaque" };
        },
        useGrantedResource: async () => true,
      },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    fetch: setting.fetch,
    findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: {
      // Sign-in and consent are one step, for every code.
      policy: [
        new Prompt(
          { name: "consent", requestable: true },
          new Check(
            "not_decided",
            "the user has to decide",
            "consent_required",
            (ctx) => ctx.oidc.result?.consent === undefined,
          ),
        ),
      ],
      url: (_ctx, { uid }) => `${consentPath}?request=${encodeURIComponent(uid)}`,
    },
    issueRefreshToken: async () => true,
    // Required for ID tokens, which are not issued.
    jwks: { keys: [{ ...unusedKey(), use: "sig" }] },
    pkce: { required: () => true },
    renderError(ctx, { error, error_description }) {
      ctx.type = "html";
      ctx.set(errorPage.headers);
      ctx.body = errorPage.html(error, error_description);
    },
    responseTypes: ["code"],
    rotateRefreshToken: true,
    routes: PATHS,
    scopes: [],
    ttl: {
      AccessToken: ACCESS_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      Interaction: DECISION_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Session: DECISION_SECONDS,
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.on("server_error", (_ctx, error) => setting.onError(error));
  return provider;
}

export type Provider = Awaited<ReturnType<typeof newProvider>>;

/** A loopback server requests no addresses from clients. */
export function isPublic(issuer: string): boolean {
  return issuer.startsWith("https:");
}

function unusedKey() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}
