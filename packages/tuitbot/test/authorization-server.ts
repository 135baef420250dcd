import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An OAuth authorization server on loopback: metadata (RFC 8414), keys, and tokens for clients (RFC 9068). */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Asks its token endpoint, as a client does with its credentials. */
  readonly token: (asked: {
    readonly client: string;
    readonly resource: string;
    readonly scope: string;
    /** How long it counts from now on. */
    readonly seconds?: number;
  }) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Signs by itself what the product has a library check. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: "k1" }] };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const tokenFor = (form: URLSearchParams) => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      sub: form.get("client_id"),
      client_id: form.get("client_id"),
      aud: form.get("resource"),
      scope: form.get("scope"),
      iat: now,
      exp: now + Number(form.get("seconds")),
    };
    const unsigned = `${encoded({ alg: "ES256", kid: "k1", typ: "at+jwt" })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(unsigned), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return { access_token: `${unsigned}.${signature.toString("base64url")}`, token_type: "Bearer" };
  };
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding("utf8").toArray()).join("");
    const answers: Record<string, () => object> = {
      "GET /.well-known/oauth-authorization-server": () => ({
        issuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ["code"],
      }),
      "GET /keys": () => keys,
      "POST /token": () => tokenFor(new URLSearchParams(body)),
    };
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer?.() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    async token({ client, resource, scope, seconds = 300 }) {
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: client,
        resource,
        scope,
        seconds: String(seconds),
      });
      const answer = await fetch(`${issuer}/token`, { method: "POST", body });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
