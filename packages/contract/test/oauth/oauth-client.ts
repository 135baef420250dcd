import { createHash, randomBytes } from "node:crypto";
import { Browser, signInWith, type UserAnswer } from "./browser.ts";
import { PASSPHRASE } from "./sign-in-server.ts";

export const CALLBACK = "http://127.0.0.1:3118/callback";
export const USER: UserAnswer = { passphrase: PASSPHRASE };

export async function newClient(origin: string, metadata: object = {}) {
  const registered = await register(origin, metadata);
  const { client_id } = (await registered.json()) as { client_id: string };
  return { origin, id: client_id };
}

export function register(
  origin: string,
  metadata: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ client_name: "Test client", redirect_uris: [CALLBACK], ...metadata }),
  });
}

type TestClient = Awaited<ReturnType<typeof newClient>>;

/** With its PKCE verifier; undefined omits a parameter. */
export function authorization(
  { origin, id }: TestClient,
  parameters: Record<string, string | undefined> = {},
): { readonly url: URL; readonly verifier: string } {
  const verifier = randomBytes(32).toString("base64url");
  const all = {
    response_type: "code",
    client_id: id,
    redirect_uri: CALLBACK,
    state: "a state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${origin}/mcp`,
    ...parameters,
  };
  const url = new URL(`${origin}/oauth/authorize`);
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return { url, verifier };
}

export async function newCode(client: TestClient, parameters: Record<string, string | undefined> = {}) {
  const { url, verifier } = authorization(client, parameters);
  const back = await signInWith(new Browser(), url, USER);
  return { code: back.searchParams.get("code") ?? "", verifier, back };
}

interface TokenAnswer {
  readonly status: number;
  readonly body: {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly scope?: string;
    readonly error?: string;
  };
}

export async function token(client: TestClient, parameters: Record<string, string>): Promise<TokenAnswer> {
  const response = await fetch(`${client.origin}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: client.id, ...parameters }),
  });
  return { status: response.status, body: (await response.json()) as TokenAnswer["body"] };
}

export function redeem(
  client: TestClient,
  { code, verifier }: { code: string; verifier: string },
  more = {},
) {
  return token(client, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    ...more,
  });
}

export function refresh(client: TestClient, refresh_token = "", more = {}) {
  return token(client, { grant_type: "refresh_token", refresh_token, ...more });
}

export function revoke({ origin, id }: TestClient, token = ""): Promise<Response> {
  return fetch(`${origin}/oauth/revoke`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: id, token }),
  });
}

export async function signedIn(client: TestClient, parameters: Record<string, string | undefined> = {}) {
  const { body } = await redeem(client, await newCode(client, parameters));
  return { access: body.access_token ?? "", refresh: body.refresh_token ?? "", scope: body.scope };
}
