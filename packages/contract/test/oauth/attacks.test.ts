import { describe, expect, test } from "vitest";
import { post } from "../raw-http.ts";
import { Browser, openConsent, signInWith } from "./browser.ts";
import { laterBy } from "./later.ts";
import {
  authorization,
  CALLBACK,
  newClient,
  newCode,
  redeem,
  refresh,
  revoke,
  signedIn,
  token,
  USER,
} from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";

const INVALID_GRANT = { status: 400, body: { error: "invalid_grant" } };

async function isAccepted(url: string, access: string): Promise<boolean> {
  return (await post(url, { headers: { authorization: `Bearer ${access}` } })).status === 200;
}

describe("a code", () => {
  test("works once, and its second use ends the tokens of the first", async () => {
    const { origin, url } = await serveSignIn();
    const client = await newClient(origin);
    const code = await newCode(client);
    const first = await redeem(client, code);
    const { access_token = "", refresh_token } = first.body;
    expect(await isAccepted(url, access_token)).toBe(true);
    expect(await redeem(client, code)).toMatchObject(INVALID_GRANT);
    expect(await isAccepted(url, access_token)).toBe(false);
    expect(await refresh(client, refresh_token)).toMatchObject(INVALID_GRANT);
  });

  test("gives tokens once if it is redeemed many times at the same time", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const code = await newCode(client);
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(client, code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test("is worthless to another client, for another address, and without its verifier", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const other = await newClient(origin);
    const newVerifier = "x".repeat(43);
    expect(await redeem(other, await newCode(client))).toMatchObject(INVALID_GRANT);
    const moved = { redirect_uri: "http://127.0.0.1:3118/other" };
    expect(await redeem(client, await newCode(client), moved)).toMatchObject(INVALID_GRANT);
    const guessed = { ...(await newCode(client)), verifier: newVerifier };
    expect(await redeem(client, guessed)).toMatchObject(INVALID_GRANT);
    const { code } = await newCode(client);
    const bare = await token(client, { grant_type: "authorization_code", code, redirect_uri: CALLBACK });
    expect(bare).toMatchObject(INVALID_GRANT);
  });

  test("expires after a minute", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const code = await newCode(client);
    laterBy(61_000);
    expect(await redeem(client, code)).toMatchObject(INVALID_GRANT);
  });
});

describe("an authorization request", () => {
  test.each([
    ["without a challenge", { code_challenge: undefined, code_challenge_method: undefined }],
    ["with a plain challenge", { code_challenge_method: "plain" }],
    ["for a token without a code", { response_type: "token" }],
    ["for another resource", { resource: "https://elsewhere.example/mcp" }],
    ["for another path of this host", { resource: "OTHER_PATH" }],
    ["that forbids to ask the user", { prompt: "none" }],
  ])("%s gets an error and the issuer, and no code", async (_what, parameters) => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const changed = { ...parameters } as Record<string, string | undefined>;
    if (changed.resource === "OTHER_PATH") changed.resource = `${origin}/other`;
    const answer = await new Browser().get(authorization(client, changed).url);
    const back = new URL(answer.headers.get("location") ?? "");
    const result = new URLSearchParams(`${back.search}&${back.hash.slice(1)}`);
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:3118\/callback/);
    expect(result.get("error")).toBeTruthy();
    expect(result.get("iss")).toBe(origin);
    expect(result.has("code")).toBe(false);
  });

  test.each([
    "http://127.0.0.1:3118/other",
    "http://127.0.0.1:3118/callback?more=1",
    "http://127.0.0.1:3118/callback/../callback2",
    "http://127.0.0.1:3118/%2e%2e/callback",
    "http://127.0.0.1:3118/callback#fragment",
    "http://127.0.0.1.evil.test:3118/callback",
    "http://127.0.0.1@evil.test/callback",
    "http://127.0.0.2:3118/callback",
    "http://localhost:3118/callback",
    "https://127.0.0.1:3118/callback",
    "HTTP://127.0.0.1:3118/CALLBACK",
    "https://evil.test/callback",
    "javascript:alert(1)",
  ])("to %s stays on this server", async (redirect_uri) => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const answer = await new Browser().get(authorization(client, { redirect_uri }).url);
    expect(answer.status).toBe(400);
    expect(answer.headers.has("location")).toBe(false);
  });

  test.each([
    ["without a challenge", { code_challenge: undefined, code_challenge_method: undefined }],
    ["for a token without a code", { response_type: "token" }],
    ["for another resource", { resource: "https://elsewhere.example/mcp" }],
    ["that forbids to ask the user", { prompt: "none" }],
  ])("%s sends no browser to an address that anyone can register", async (_what, parameters) => {
    const { origin } = await serveSignIn();
    for (const redirect_uri of ["https://evil.test/callback", "evil-app://callback"]) {
      const client = await newClient(origin, { redirect_uris: [redirect_uri] });
      const answer = await new Browser().get(authorization(client, { ...parameters, redirect_uri }).url);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
      expect(await answer.text()).toContain("Sign-in failed");
    }
  });

  test("of an unknown client stays on this server", async () => {
    const { origin } = await serveSignIn();
    for (const id of ["unknown", "https://127.0.0.1/client.json", "https://169.254.169.254/x"]) {
      const answer = await new Browser().get(authorization({ origin, id }).url);
      expect(answer.status).toBe(400);
      expect(answer.headers.has("location")).toBe(false);
    }
  });

  test.each(["client_id", "redirect_uri", "state", "code_challenge"])(
    "with %s twice is refused",
    async (name) => {
      const { origin } = await serveSignIn();
      const { url } = authorization(await newClient(origin));
      url.searchParams.append(name, url.searchParams.get(name) ?? "");
      const answer = await new Browser().get(url);
      const location = answer.headers.get("location");
      expect(location === null ? "error=" : location).toContain("error=");
    },
  );

  test("may name another port of loopback, since desktop clients take a free one", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const back = await signInWith(
      new Browser(),
      authorization(client, { redirect_uri: "http://127.0.0.1:9/callback" }).url,
      USER,
    );
    expect(back.origin).toBe("http://127.0.0.1:9");
  });

  test("is never approved without the user, not even for a client that was approved before", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const browser = new Browser();
    await signInWith(browser, authorization(client).url, USER);
    const { shown } = await openConsent(browser, authorization(client).url);
    expect(shown.status).toBe(200);
  });
});

describe("a refresh token", () => {
  test("works once, and its reuse ends every token of the grant", async () => {
    const { origin, url } = await serveSignIn();
    const client = await newClient(origin);
    const old = await signedIn(client);
    const { access_token = "", refresh_token } = (await refresh(client, old.refresh)).body;
    expect(await isAccepted(url, access_token)).toBe(true);
    laterBy(11_000);
    expect(await refresh(client, old.refresh)).toMatchObject(INVALID_GRANT);
    expect(await isAccepted(url, access_token)).toBe(false);
    expect(await refresh(client, refresh_token)).toMatchObject(INVALID_GRANT);
  });

  test("that a client sends twice at the same time is taken once, and the sign-in stays", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const { refresh: sent } = await signedIn(client);
    const answers = await Promise.all([refresh(client, sent), refresh(client, sent)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const renewed = answers.find(({ status }) => status === 200)?.body.refresh_token;
    expect((await refresh(client, renewed)).status).toBe(200);
  });

  test("is worthless to another client and gives no more scopes than before", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    const { refresh: sent } = await signedIn(client, { scope: "mcp" });
    expect(await refresh(await newClient(origin), sent)).toMatchObject(INVALID_GRANT);
    const wider = await refresh(client, sent, { scope: "mcp notes.write" });
    expect(wider).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
  });
});

describe("a token", () => {
  test("of one server does not work at another, though they share a database", async () => {
    const one = await serveSignIn();
    const other = await serveSignIn();
    const { access } = await signedIn(await newClient(one.origin));
    expect(await isAccepted(one.url, access)).toBe(true);
    expect(await isAccepted(other.url, access)).toBe(false);
    const client = await newClient(one.origin);
    const moved = await redeem(client, await newCode(client), { resource: other.url });
    expect(moved).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  });

  test("that is a refresh token, a code or in the query of the address is refused", async () => {
    const { origin, url } = await serveSignIn();
    const client = await newClient(origin);
    const { refresh: refreshToken, access } = await signedIn(client);
    expect(await isAccepted(url, refreshToken)).toBe(false);
    expect(await isAccepted(url, (await newCode(client)).code)).toBe(false);
    expect((await post(`${url}?access_token=${access}`)).status).toBe(401);
  });

  test("expires after an hour", async () => {
    const { origin, url } = await serveSignIn();
    const { access } = await signedIn(await newClient(origin));
    laterBy(61 * 60_000);
    expect(await isAccepted(url, access)).toBe(false);
  });

  test("is revoked by its own client only, and with its refresh token", async () => {
    const { origin, url } = await serveSignIn();
    const client = await newClient(origin);
    const { access, refresh: refreshToken } = await signedIn(client);
    await revoke(await newClient(origin), access);
    expect(await isAccepted(url, access)).toBe(true);
    expect((await revoke(client, "unknown")).status).toBe(200);
    await revoke(client, refreshToken);
    expect(await isAccepted(url, access)).toBe(false);
  });
});
