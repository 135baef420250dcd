import { once } from "@toolpact/outcome";
import type { SqlDatabase } from "../guards/sql.ts";
import { PATH } from "../mcp/http-handler.ts";
import type { Principal } from "../mcp/request.ts";
import type { SignIn } from "../mcp/sign-in.ts";
import { resourceAccess } from "./access.ts";
import {
  BASE_SCOPE,
  type ConsentDecision,
  type ConsentRequest,
  type Decided,
  decideRequest,
  pendingRequest,
} from "./consent.ts";
import { type ConsentForm, consentPage } from "./consent-page.ts";
import { endpoints } from "./endpoints.ts";
import { keyedWith } from "./keyed.ts";
import { metadataDocuments } from "./metadata.ts";
import { CONSENT_PATH, newProvider } from "./provider.ts";
import { publicFetch } from "./public-fetch.ts";
import { type OpenAct, openRecords } from "./records.ts";
import { type Access, AccessTokens } from "./tokens.ts";

/** How users sign clients in. */
export interface SignInOptions {
  /** Shown on the consent page. */
  readonly title: string;
  /** SQLite or PostgreSQL, shared by replicas. It creates its own table. */
  readonly database: SqlDatabase;
  /** Separates servers that share a database. */
  readonly scope?: string;
  /** 32 secret bytes or more, equal in all replicas. They sign cookies and forms. */
  readonly key: Uint8Array | (() => Promise<Uint8Array>);
  /** For clients and browsers, such as `https://mcp.example`; default the listening address. */
  readonly publicUrl?: string;
  /** The person with a passphrase, or the path of the app's own page, which calls `pending` and `decide`. */
  readonly consent:
    | { readonly person: (passphrase: string) => Promise<string | undefined>; readonly form?: ConsentForm }
    | { readonly path: string };
  /** Tools without scopes need no sign-in. */
  readonly publicTools?: boolean;
  /** If clients may register themselves (RFC 7591); default true. */
  readonly registration?: boolean;
  /** Scopes clients request only after a challenge. */
  readonly stepUpScopes?: readonly string[];
  /** Scopes a call requires beyond its declaration. */
  readonly missingScopes?: (tool: string, caller: Principal | undefined) => readonly string[];
  /** Undefined if a signed-in client may no longer call. */
  readonly principal?: (access: Access) => Promise<Principal | undefined>;
  readonly now?: () => number;
  /** For client metadata documents; the default checks every address it connects to. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface OpenedSignIn extends SignIn {
  /** Only for the browser that started it. */
  readonly pending: (request: Request, id: string) => Promise<ConsentRequest | undefined>;
  /** Undefined if this browser has no such request. The browser continues at `location`. */
  readonly decide: (request: Request, id: string, decision: ConsentDecision) => Promise<Decided | undefined>;
  readonly revoke: (grantId: string) => Promise<void>;
}

/**
 * Opens the sign-in of a server: an OAuth 2.1 authorization server for clients that are added by URL. Requires the
 * package `oidc-provider`, which is loaded when the first client signs in.
 *
 * ```ts
 * const database = await openSqlite("sign-in.db");
 * const person = async (passphrase: string) => (passphrase === process.env.PASSPHRASE ? "me" : undefined);
 * const signIn = openSignIn({ title: "Notes", database, key, consent: { person } });
 * await serveHttp(app, { port: 8787, signIn });
 * ```
 */
export function openSignIn(options: SignInOptions): OpenedSignIn {
  const { title, database, scope = "sign-in", consent, publicUrl } = options;
  const { now = () => Date.now(), registration = true, fetch = publicFetch() } = options;
  let address = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  let toolScopes: readonly string[] = [];
  let onError = (_error: Error) => {};
  const issuer = () => {
    if (address === undefined)
      throw new Error("openSignIn needs publicUrl: this server does not listen itself.");
    return address;
  };
  const resource = () => `${issuer()}${PATH}`;
  const firstScopes = () => [BASE_SCOPE, ...toolScopes];
  const scopes = () => [...new Set([...firstScopes(), ...(options.stepUpScopes ?? [])])];
  const keyed = keyedWith(options.key);
  const records = once(() => openRecords(database, scope, now));
  const admit = async (act: OpenAct, sender: string) =>
    (await records()).admit(act, await keyed(`sender ${network(sender)}`));
  const tokens = once(async () => new AccessTokens(await records(), now));
  const provider = once(async () =>
    newProvider({
      issuer: issuer(),
      resource: resource(),
      scopes: scopes(),
      records: await records(),
      key: Buffer.from(await keyed("cookies"), "base64url"),
      cookieSuffix: (await keyed(`names ${scope}`)).slice(0, 8),
      consentPath: "path" in consent ? consent.path : CONSENT_PATH,
      hasRegistration: registration,
      now,
      fetch,
      mayFetch: (sender) => admit("Document", sender),
      onError: (error) => onError(error),
    }),
  );
  const pending = async (request: Request, id: string) => pendingRequest(await provider(), request, id);
  const decide = async (request: Request, id: string, decision: ConsentDecision) =>
    decideRequest(await provider(), request, {
      ...{ id, resource: resource(), decision },
      records: await records(),
    });
  const page =
    "person" in consent
      ? consentPage({ title, keyed, person: consent.person, form: consent.form, pending, decide, now })
      : undefined;
  const documents = () =>
    metadataDocuments({
      issuer: issuer(),
      resource: resource(),
      scopes: scopes(),
      firstScopes: firstScopes(),
      hasRegistration: registration,
    });
  const access = resourceAccess({
    issuer,
    resource,
    firstScopes,
    tokens,
    documents,
    hasPublicTools: options.publicTools === true,
    principal: options.principal,
    missingScopes: options.missingScopes,
    onError: (error) => onError(error),
  });
  const answer = endpoints({
    provider,
    issuer,
    scopes: firstScopes,
    allScopes: scopes,
    admit,
    page,
    hasRegistration: registration,
    onChange: async () => (await tokens()).forget(),
  });
  return {
    publicUrl,
    listensAt(origin) {
      address ??= origin;
    },
    connect(found, report) {
      toolScopes = found;
      onError = report;
      return { ...access, answer };
    },
    pending,
    decide,
    async revoke(grantId) {
      await (await records()).revokeGrant(grantId);
      (await tokens()).forget();
    },
  };
}

/** An IPv6 network has many addresses. */
function network(address: string): string {
  return address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;
}
