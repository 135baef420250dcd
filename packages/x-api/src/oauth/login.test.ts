import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { heldClock } from "../../test/doubles.ts";
import { FakeTokenEndpoint, fetchFrom } from "../../test/oauth-token-server.ts";
import { beginLogin, finishLogin } from "./login.ts";
import type { OAuthApp } from "./token-endpoint.ts";
import { Secret } from "./token-file.ts";

const publicApp: OAuthApp = { clientId: "an-app", redirectUri: "http://127.0.0.1:8400/callback" };
const confidentialApp: OAuthApp = { ...publicApp, clientSecret: new Secret("s:cret") };

describe("beginning", () => {
  test("sends the user to X with all required parameters", async () => {
    const pending = await beginLogin(publicApp, ["tweet.read", "offline.access"]);
    const url = new URL(pending.url);
    const { state, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    expect(url.origin + url.pathname).toBe("https://x.com/i/oauth2/authorize");
    expect(rest).toEqual({
      response_type: "code",
      client_id: "an-app",
      redirect_uri: "http://127.0.0.1:8400/callback",
      scope: "tweet.read offline.access",
      code_challenge_method: "S256",
    });
    expect(state).toBe(pending.state);
    expect(code_challenge).toBe(createHash("sha256").update(pending.verifier.reveal()).digest("base64url"));
  });

  test("uses a random state and verifier, within X's and the standard's lengths", async () => {
    const many = await Promise.all(Array.from({ length: 50 }, () => beginLogin(publicApp, [])));
    expect(new Set(many.map(({ state }) => state)).size).toBe(50);
    expect(new Set(many.map(({ verifier }) => verifier.reveal())).size).toBe(50);
    for (const { state, verifier } of many) {
      expect(state).toMatch(/^[\w-]{32,500}$/);
      expect(verifier.reveal()).toMatch(/^[\w-]{43,128}$/);
    }
  });
});

describe("finishing", () => {
  const start = async (app = publicApp) => {
    const endpoint = new FakeTokenEndpoint();
    const clock = heldClock();
    const pending = await beginLogin(app, []);
    const finish = (callback: string) =>
      finishLogin(pending, callback, { fetch: fetchFrom(endpoint), clock });
    return { endpoint, clock, pending, finish };
  };

  test("a public client sends its id in the form", async () => {
    const { endpoint, clock, pending, finish } = await start();
    const grant = await finish(`http://127.0.0.1:8400/callback?state=${pending.state}&code=good-code`);
    expect(grant.ok && grant.value.accessToken.reveal()).toBe(endpoint.accessToken);
    expect(grant.ok && grant.value.refreshToken?.reveal()).toBe(endpoint.refreshToken);
    expect(grant).toMatchObject({
      value: { expiresAt: clock.now() + 7_200_000, scopes: ["offline.access", "tweet.read"] },
    });
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.authorization).toBeNull();
    expect(Object.fromEntries(endpoint.requests[0]?.form ?? [])).toEqual({
      grant_type: "authorization_code",
      code: "good-code",
      redirect_uri: "http://127.0.0.1:8400/callback",
      code_verifier: pending.verifier.reveal(),
      client_id: "an-app",
    });
  });

  test("a confidential client authenticates with HTTP Basic and keeps its secret out of the form", async () => {
    const { endpoint, pending, finish } = await start(confidentialApp);
    expect((await finish(`?state=${pending.state}&code=good-code`)).ok).toBe(true);
    expect(endpoint.requests[0]?.authorization).toBe(`Basic ${btoa("an-app:s%3Acret")}`);
    expect(endpoint.requests[0]?.form.has("client_id")).toBe(false);
    expect(endpoint.requests[0]?.form.toString()).not.toContain("cret");
  });

  test.each([
    [
      "the whole address, with blanks",
      (state: string) => `  http://127.0.0.1:8400/callback?code=good-code&state=${state}\n`,
    ],
    ["what follows the question mark", (state: string) => `code=good-code&state=${state}`],
  ])("takes %s", async (_, paste) => {
    const { pending, finish } = await start();
    expect((await finish(paste(pending.state))).ok).toBe(true);
  });

  test.each([
    [
      "the state of another sign-in",
      () => "http://127.0.0.1:8400/callback?code=good-code&state=other",
      { reason: "state_mismatch" },
    ],
    ["no state", () => "http://127.0.0.1:8400/callback?code=good-code", { reason: "state_mismatch" }],
    ["no code", (state: string) => `http://127.0.0.1:8400/callback?state=${state}`, { reason: "no_code" }],
    ["something else", () => "good-code", { reason: "not_a_url" }],
    ["a refusal", (state: string) => `?error=access_denied&state=${state}`, { kind: "denied" }],
    ["a refusal that was copied without its state", () => "?error=access_denied", { kind: "denied" }],
    [
      "a refusal that belongs to another sign-in",
      () => "?error=access_denied&state=other",
      { reason: "state_mismatch" },
    ],
  ])("asks X nothing after %s", async (_, paste, failure) => {
    const { endpoint, pending, finish } = await start();
    expect(await finish(paste(pending.state))).toMatchObject({ ok: false, failure });
    expect(endpoint.requests).toEqual([]);
  });

  test("reports a used code, without repeating it", async () => {
    const { pending, finish } = await start();
    const outcome = await finish(`?state=${pending.state}&code=bad-code`);
    expect(outcome).toMatchObject({ ok: false, failure: { kind: "invalid_grant" } });
    expect(JSON.stringify(outcome)).not.toContain("bad-code");
  });
});

describe("answers of X", () => {
  const answerWith = async (respond: () => Response | Promise<Response>) => {
    const pending = await beginLogin(publicApp, []);
    const clock = heldClock();
    return finishLogin(pending, `?state=${pending.state}&code=c`, { fetch: async () => respond(), clock });
  };

  test.each([
    [() => Response.json({ error: "invalid_client" }, { status: 401 }), { kind: "invalid_client" }],
    [() => Response.json({ error: "unauthorized_client" }, { status: 401 }), { kind: "invalid_client" }],
    [() => new Response("<html>", { status: 404 }), { kind: "invalid_client" }],
    [() => new Response("<html>", { status: 502 }), { kind: "server_error", status: 502 }],
    [() => Response.json({ token_type: "bearer" }), { kind: "network", cause: "unreadable" }],
    [() => new Response("{", { status: 200 }), { kind: "network", cause: "unreadable" }],
    [
      () => new Response("", { status: 429, headers: { "x-rate-limit-reset": "1800000090" } }),
      { kind: "rate_limited", retryAfterMs: 90_000, resetAt: 1_800_000_090_000 },
    ],
    [() => new Response("", { status: 429 }), { kind: "rate_limited", retryAfterMs: 60_000 }],
    [
      () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })),
      { kind: "network", cause: "unreachable", ambiguous: false },
    ],
  ])("is one of a closed list (%#)", async (respond, failure) => {
    expect(await answerWith(respond)).toMatchObject({ ok: false, failure });
  });

  test("a request ends at its timeout, and when the caller aborts", async () => {
    const pending = await beginLogin(publicApp, []);
    const callback = `?state=${pending.state}&code=c`;
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    const eager = heldClock(undefined, true);
    expect(await finishLogin(pending, callback, { fetch, clock: eager, timeoutMs: 9_000 })).toMatchObject({
      failure: { kind: "network", cause: "timeout", ambiguous: true },
    });
    expect(eager.waits).toEqual([9_000]);

    const abort = new AbortController();
    const outcome = finishLogin(pending, callback, { fetch, clock: heldClock() }, abort.signal);
    abort.abort();
    expect(await outcome).toMatchObject({ failure: { kind: "network", cause: "aborted" } });
    expect(await finishLogin(pending, callback, { fetch, clock: heldClock() }, abort.signal)).toMatchObject({
      failure: { kind: "network", cause: "aborted", ambiguous: false },
    });
  });
});
