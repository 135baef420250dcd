import {
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Loopback, loopback } from "./loopback.ts";
import { notesApp } from "./notes-product.ts";
import { post, serve } from "./raw-http.ts";

describe("with an OAuth issuer", () => {
  async function issuer(): Promise<
    Loopback & { token: (claims: object, expires?: string) => Promise<string> }
  > {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256", kid: "k1" }] };
    const server = await loopback((path) =>
      path === "/keys" ? keys : { issuer: server.url, jwks_uri: `${server.url}/keys` },
    );
    onTestFinished(server.close);
    const token = (claims: object, expires = "5m") =>
      new SignJWT({ iss: server.url, client_id: "some-client", scope: "", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey);
    return { ...server, token };
  }

  const resource = "http://127.0.0.1:1/mcp";

  /** Made from what the issuer publishes. */
  async function confusions(claims: JWTPayload, issuerUrl: string): Promise<readonly string[]> {
    const [published] = ((await (await fetch(`${issuerUrl}/keys`)).json()) as { keys: JWK[] }).keys;
    const own = await generateKeyPair("ES256");
    const signed = (header: JWTHeaderParameters, key: CryptoKey | Uint8Array) =>
      new SignJWT(claims).setProtectedHeader(header).setExpirationTime("5m").sign(key);
    const secrets = [JSON.stringify(published), published?.x ?? "", ""].map((text) =>
      Buffer.from(text.padEnd(32)),
    );
    return [
      new UnsecuredJWT(claims).setExpirationTime("5m").encode(),
      ...(await Promise.all(secrets.map((secret) => signed({ alg: "HS256", kid: "k1" }, secret)))),
      await signed({ alg: "ES256", kid: "k1" }, own.privateKey),
      // The header brings its own key, or names a place for it.
      await signed({ alg: "ES256", jwk: await exportJWK(own.publicKey) }, own.privateKey),
      await signed({ alg: "ES256", kid: "../../keys" }, own.privateKey),
    ];
  }

  const addNote = { method: "tools/call", params: { name: "add_note", arguments: { text: "hi" } } };

  test("a caller without a token learns where to get one", async () => {
    const { url: issuerUrl } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const refused = await post(url);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toContain(
      'resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp"',
    );
    const metadata = await fetch(url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"));
    expect(await metadata.json()).toMatchObject({
      resource,
      authorization_servers: [issuerUrl],
      scopes_supported: ["notes.write"],
    });
  });

  test("the server goes by the name its tokens are meant for", async () => {
    const { url: issuerUrl, token } = await issuer();
    const named = "https://mcp.example/mcp";
    const { url } = await serve({ host: "0.0.0.0", oauth: { issuer: issuerUrl, resource: named } });
    const here = url.replace("0.0.0.0", "127.0.0.1");
    const authorization = `Bearer ${await token({ aud: named })}`;
    expect((await post(here, { headers: { host: "mcp.example", authorization } })).status).toBe(200);
    expect((await post(here, { headers: { host: "evil.example", authorization } })).status).toBe(403);
  });

  test("a token for another server, of another issuer, expired, unsigned or signed with a published key does not count", async () => {
    const { url: issuerUrl, token } = await issuer();
    const stranger = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const bad = [
      await token({ aud: "https://elsewhere.example/mcp" }),
      await stranger.token({ aud: resource, iss: issuerUrl }),
      await token({ aud: resource }, "-1m"),
      "nonsense",
      ...(await confusions({ iss: issuerUrl, aud: resource, sub: "ann", scope: "notes.write" }, issuerUrl)),
    ];
    for (const bearer of bad)
      expect((await post(url, { headers: { authorization: `Bearer ${bearer}` } })).status).toBe(401);
  });

  test("a question to one person is not answered by another of the same client, and the audit tells them apart", async () => {
    const { url: issuerUrl, token } = await issuer();
    const notes = notesApp();
    notes.store.notes.set("1", "of alice");
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } }, notes);
    const as = async (sub: string, params: object) => {
      const headers = { authorization: `Bearer ${await token({ aud: resource, sub })}` };
      return post(url, {
        method: "tools/call",
        params: { name: "delete_note", arguments: { id: "1" }, ...params },
        headers,
      });
    };
    const { requestState } = (await as("alice", {})).json.result as { requestState: string };
    const yes = {
      requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: "yes" } } },
    };
    expect((await as("mallory", yes)).json).toMatchObject({ error: { code: -32602 } });
    expect(notes.store.notes.size).toBe(1);
    expect((await as("alice", yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
    expect(notes.audited.at(-1)).toMatchObject({ client: "some-client for alice" });
  });

  test.each([
    ["is down", undefined],
    ["names no keys", (url: string) => ({ issuer: url })],
    [
      "gives the metadata of another",
      (url: string) => ({ issuer: "https://other.example", jwks_uri: `${url}/keys` }),
    ],
    ["has keys that cannot be read", (url: string) => ({ issuer: url, jwks_uri: `${url}/keys` })],
  ])("an issuer that %s makes callers retry later, and notifies the operator", async (_what, metadata) => {
    const { token } = await issuer();
    const server: Loopback = await loopback(() => metadata?.(server.url) ?? {});
    onTestFinished(server.close);
    if (metadata === undefined) await server.close();
    const reported: Error[] = [];
    const oauth = { issuer: server.url, resource };
    const { url } = await serve({ oauth, onError: (error) => void reported.push(error) });
    const authorization = `Bearer ${await token({ aud: resource, iss: server.url })}`;
    const refused = await post(url, { headers: { authorization } });
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect(reported).toHaveLength(1);
  });

  test.each([{ scp: ["notes.write"] }, { scp: "notes.read notes.write" }])(
    "scopes may stand in %o",
    async (claims) => {
      const { url: issuerUrl, token } = await issuer();
      const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
      const authorization = `Bearer ${await token({ aud: resource, scope: undefined, ...claims })}`;
      expect((await post(url, { ...addNote, headers: { authorization } })).status).toBe(200);
    },
  );

  test("a tool that needs a scope names it to a caller who lacks it", async () => {
    const { url: issuerUrl, token } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const as = async (scope: string) => ({
      headers: { authorization: `Bearer ${await token({ aud: resource, scope })}` },
    });
    expect(await post(url, await as(""))).toMatchObject({ status: 200 });
    const refused = await post(url, { ...addNote, ...(await as("notes.read")) });
    expect(refused.status).toBe(403);
    expect(refused.headers["www-authenticate"]).toMatch(/error="insufficient_scope", scope="notes.write"/);
    const done = await post(url, { ...addNote, ...(await as("notes.write")) });
    expect(done.json).toMatchObject({ result: { structuredContent: { success: true } } });
  });

  test("a tool among many messages needs its scope too", async () => {
    const { url: issuerUrl, token } = await issuer();
    const { url } = await serve({ oauth: { issuer: issuerUrl, resource } });
    const headers = { authorization: `Bearer ${await token({ aud: resource, scope: "notes.read" })}` };
    const batch = [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, ...addNote },
    ];
    expect((await post(url, { headers, body: JSON.stringify(batch) })).status).toBe(403);
    expect((await post(url, { headers, body: "null" })).status).toBe(400);
  });
});
