import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";
import { as, Caller, type Heard, hear, owner } from "./caller.ts";

const second = 1_000;
const hour = 3_600_000;
const verifier = "a-verifier-that-is-long-enough-to-be-taken-seriously";
const callback = "http://127.0.0.1:8080/callback";

function authorizeUrl(sandbox: Sandbox, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: sandbox.app.clientId,
    redirect_uri: callback,
    scope: "tweet.read users.read offline.access",
    state: "s-1",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes,
  });
  return `https://x.com/i/oauth2/authorize?${query}`;
}

function codeFrom(sandbox: Sandbox, changes?: Readonly<Record<string, string>>): string {
  const decision = sandbox.consent(authorizeUrl(sandbox, changes));
  if ("complaint" in decision) throw new Error(decision.complaint);
  return new URL(decision.redirectTo).searchParams.get("code") ?? "";
}

async function token(
  sandbox: Sandbox,
  form: Readonly<Record<string, string>>,
  authorization?: string,
): Promise<Heard> {
  const response = await sandbox.fetch("https://api.x.com/2/oauth2/token", {
    method: "POST",
    body: new URLSearchParams({ client_id: sandbox.app.clientId, ...form }).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization !== undefined && { authorization }),
    },
  });
  return hear(response);
}

function exchange(
  sandbox: Sandbox,
  code: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  return token(sandbox, {
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    code_verifier: verifier,
    ...changes,
  });
}

describe("signing in with PKCE", () => {
  test("leads from consent to a working token", async () => {
    const sandbox = new Sandbox();
    const issued = await exchange(sandbox, codeFrom(sandbox));
    expect(issued.body).toEqual({
      token_type: "bearer",
      expires_in: 7_200,
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      scope: "tweet.read users.read offline.access",
    });
    const me = await new Caller(sandbox, issued.word("access_token")).get("/2/users/me");
    expect(me.word("data", "username")).toBe("sandbox_owner");
  });

  test("shows a consent page, and redirects with a refusal", async () => {
    const sandbox = new Sandbox();
    const page = await sandbox.fetch(authorizeUrl(sandbox));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Authorize app");
    const decide = async (decision: string): Promise<URL> => {
      const body = new URLSearchParams({ user: "sandbox_friend", decision }).toString();
      const sent = await sandbox.fetch(authorizeUrl(sandbox), { method: "POST", body, redirect: "manual" });
      expect(sent.status).toBe(302);
      return new URL(sent.headers.get("location") ?? "");
    };
    expect((await decide("deny")).href).toBe(`${callback}?error=access_denied&state=s-1`);
    const back = await decide("approve");
    expect(back.searchParams.get("state")).toBe("s-1");
    const issued = await exchange(sandbox, back.searchParams.get("code") ?? "");
    const me = await new Caller(sandbox, issued.word("access_token")).get("/2/users/me");
    expect(me.word("data", "username")).toBe("sandbox_friend");
  });

  test.each([
    [{ redirect_uri: "http://127.0.0.1:8080/callback/" }, "must be exactly one of"],
    [{ client_id: "somebody-else" }, "client_id is not an app's"],
    [{ response_type: "token" }, "response_type must be code"],
    [{ scope: "tweet.read tweet.burn" }, "scope is invalid: tweet.burn"],
    [{ state: "s".repeat(501) }, "state must have 1 to 500 characters"],
    [{ code_challenge: "" }, "Missing required parameter code_challenge"],
    [{ code_challenge_method: "S512" }, "code_challenge_method must be S256 or plain"],
  ])("refuses %o", async (changes, words) => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    const page = await sandbox.fetch(authorizeUrl(sandbox, changes));
    expect(page.status).toBe(400);
    expect((await page.text()).replaceAll("&#39;", "'")).toContain(words);
  });

  test("a code lasts 30 seconds, works once, and only for its request", async () => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    const badCode = {
      error: "invalid_request",
      error_description: "Value passed for the authorization code was invalid.",
    };
    const late = codeFrom(sandbox);
    sandbox.clock.advance(30 * second);
    expect((await exchange(sandbox, late)).body).toEqual(badCode);
    const once = codeFrom(sandbox);
    expect((await exchange(sandbox, once)).status).toBe(200);
    expect((await exchange(sandbox, once)).body).toEqual(badCode);
    expect((await exchange(sandbox, codeFrom(sandbox), { code_verifier: "another" })).body).toEqual({
      error: "invalid_request",
      error_description: "Value passed for the code verifier did not match the code challenge.",
    });
    expect(
      (await exchange(sandbox, codeFrom(sandbox), { redirect_uri: "http://localhost:8080/callback" })).status,
    ).toBe(400);
    expect((await token(sandbox, { grant_type: "password" })).body).toMatchObject({
      error: "unsupported_grant_type",
    });
  });

  test("confidential clients must use HTTP Basic", async () => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    const client = sandbox.appNamed("sandbox-confidential-client");
    const { clientId, clientSecret = "" } = client;
    const form = () => ({
      grant_type: "authorization_code",
      client_id: clientId,
      code: codeFrom(sandbox, { client_id: clientId }),
      redirect_uri: callback,
      code_verifier: verifier,
    });
    const refused = await token(sandbox, { ...form(), client_secret: clientSecret });
    expect(refused.status).toBe(401);
    expect(refused.body).toEqual({
      error: "unauthorized_client",
      error_description: "Missing valid authorization header",
    });
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    expect((await token(sandbox, form(), basic)).status).toBe(200);
  });

  test("an app gets its bearer token for its key and secret", async () => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    const { consumerKey, consumerSecret, bearerToken } = sandbox.app;
    const ask = async (secret: string): Promise<Heard> =>
      hear(
        await sandbox.fetch("https://api.x.com/oauth2/token", {
          method: "POST",
          body: "grant_type=client_credentials",
          headers: { authorization: `Basic ${Buffer.from(`${consumerKey}:${secret}`).toString("base64")}` },
        }),
      );
    expect((await ask(consumerSecret)).body).toEqual({ token_type: "bearer", access_token: bearerToken });
    expect((await ask("wrong")).status).toBe(403);
  });
});

describe("tokens", () => {
  const unauthorized = { title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" };

  test("no token, a wrong one and an expired one are all 401", async () => {
    const me = owner();
    expect((await me.get("/2/users/me")).status).toBe(200);
    expect((await hear(await me.sandbox.fetch("https://api.x.com/2/users/me"))).body).toEqual(unauthorized);
    expect((await new Caller(me.sandbox, "wrong").get("/2/users/me")).body).toEqual(unauthorized);
    me.sandbox.clock.advance(2 * hour - 1);
    expect((await me.get("/2/users/me")).status).toBe(200);
    me.sandbox.clock.advance(1);
    const expired = await me.get("/2/users/me");
    expect(expired.status).toBe(401);
    expect(expired.body).toEqual(unauthorized);
  });

  test("without offline.access there is nothing to refresh with", () => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    expect(sandbox.signIn({ scopes: ["tweet.read"] }).refreshToken).toBeUndefined();
  });

  test("a missing scope is refused, and X does not say which", async () => {
    const { sandbox } = owner();
    const reader = as(sandbox, "sandbox_owner", ["tweet.read", "users.read"]);
    expect((await reader.get("/2/users/me")).status).toBe(200);
    const heard = await reader.post("/2/tweets", { text: "x" });
    expect(heard.status).toBe(403);
    expect(heard.body).toEqual({ detail: "Forbidden", type: "about:blank", title: "Forbidden", status: 403 });
  });

  test("revoking ends the whole grant", async () => {
    const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
    const { accessToken, refreshToken = "" } = sandbox.signIn();
    const revoked = await sandbox.fetch("https://api.x.com/2/oauth2/revoke", {
      method: "POST",
      body: new URLSearchParams({ token: refreshToken, client_id: sandbox.app.clientId }).toString(),
    });
    expect(await revoked.json()).toEqual({ revoked: true });
    expect((await new Caller(sandbox, accessToken).get("/2/users/me")).status).toBe(401);
    expect((await token(sandbox, { grant_type: "refresh_token", refresh_token: refreshToken })).status).toBe(
      400,
    );
  });

  test.each([
    ["suspended", "Your account is suspended and is not permitted to access this feature."],
    ["locked", "To protect our users, your account is temporarily locked. Sign in to X to unlock it."],
  ] as const)("a %s account can do nothing", async (accountStatus, detail) => {
    const me = owner();
    me.sandbox.person("sandbox_owner").accountStatus = accountStatus;
    const heard = await me.get("/2/users/me");
    expect(heard.status).toBe(403);
    expect(heard.body).toEqual({ detail, type: "about:blank", title: "Forbidden", status: 403 });
  });

  type Step =
    | { readonly do: "sign in" }
    | { readonly do: "refresh" | "use"; readonly token: number }
    | { readonly do: "wait"; readonly ms: number };

  test("a grant has at most one valid access token and one valid refresh token", async () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.constant({ do: "sign in" } as const),
      fc.record({ do: fc.constantFrom("refresh" as const, "use" as const), token: fc.nat(12) }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 3 * hour }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const sandbox = new Sandbox({ size: { people: 8, posts: 0 } });
        const issued: { access: string; refresh: string; until: number }[] = [];
        const keep = (access: string, refresh: string) =>
          issued.push({ access, refresh, until: sandbox.clock.now() + 2 * hour });
        for (const step of steps) {
          if (step.do === "wait") sandbox.clock.advance(step.ms);
          else if (step.do === "sign in") {
            const tokens = sandbox.signIn();
            keep(tokens.accessToken, tokens.refreshToken ?? "");
          } else {
            const index = step.token % Math.max(1, issued.length);
            const chosen = issued[index];
            const isLatest = index === issued.length - 1;
            if (chosen === undefined) continue;
            if (step.do === "refresh") {
              const heard = await token(sandbox, {
                grant_type: "refresh_token",
                refresh_token: chosen.refresh,
              });
              expect(heard.status).toBe(isLatest ? 200 : 400);
              if (isLatest) keep(heard.word("access_token"), heard.word("refresh_token"));
              else
                expect(heard.body).toEqual({
                  error: "invalid_request",
                  error_description: "Value passed for the token was invalid.",
                });
            } else {
              const heard = await new Caller(sandbox, chosen.access).get("/2/lists/1");
              expect(heard.status === 200).toBe(isLatest && sandbox.clock.now() < chosen.until);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

test("each kind of caller is accepted only where X accepts it", async () => {
  const me = owner();
  const userOnBearerOnly = await me.get("/2/usage/tweets");
  expect(userOnBearerOnly.status).toBe(403);
  expect(userOnBearerOnly.body).toEqual({
    title: "Unsupported Authentication",
    detail:
      "Authenticating with OAuth 2.0 User Context is forbidden for this endpoint. Supported authentication types are [OAuth 2.0 Application-Only].",
    type: "https://api.twitter.com/2/problems/unsupported-authentication",
    status: 403,
  });
});

test("a path with another user's id is rejected", async () => {
  const me = owner();
  const [mine, theirs] = [me.sandbox.person("sandbox_owner").id, me.sandbox.person("sandbox_friend").id];
  const heard = await me.get(`/2/users/${theirs}/bookmarks`);
  expect(heard.status).toBe(400);
  expect(heard.body).toMatchObject({
    title: "Invalid Request",
    errors: [
      {
        parameters: { id: [theirs] },
        message: `The \`id\` query parameter value [${theirs}] must be the same as the authenticating user [${mine}]`,
      },
    ],
  });
});
