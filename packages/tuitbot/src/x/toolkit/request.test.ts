import { ok } from "@toolpact/contract";
import { createRawSender, systemClock } from "@toolpact/x-api";
import { Sandbox } from "@toolpact/x-sandbox";
import { describe, expect, it } from "vitest";
import { sandboxX } from "../../../test/sandbox-x.ts";
import { type RequestInput, readRequestPages, sendPostRequest, sendRequest } from "./request.ts";

const size = { people: 20, posts: 120 };
const { signal } = new AbortController();

function get(path: string, query: Record<string, string> = {}): RequestInput {
  return {
    method: "GET",
    host: "api.x.com",
    path,
    query: Object.entries(query).map(([key, value]) => ({ key, value })),
    headers: [],
  };
}

describe("a raw request", () => {
  it("answers with what X said, and what is left of X's limit", async () => {
    const sandbox = new Sandbox({ size });
    const answer = await sendRequest(sandboxX(sandbox), get("/2/users/me"), signal);
    expect(answer).toMatchObject({
      ok: true,
      value: {
        status: 200,
        headers: { "content-type": "application/json; charset=utf-8" },
        json: { data: { username: "sandbox_owner" } },
        rate_limit: { limit: 75, remaining: 74 },
      },
    });
  });

  it("fails with every status of 400 and more", async () => {
    const sandbox = new Sandbox({ size });
    const x = sandboxX(sandbox);
    expect(await sendRequest(x, get("/2/nowhere"), signal)).toMatchObject({ failure: { code: "not_found" } });
    expect(await sendRequest(x, get("/2/tweets/abc"), signal)).toMatchObject({
      failure: { code: "invalid_input" },
    });
    sandbox.faults.add({ operation: "getUsersMe", kind: "error" });
    expect(await sendRequest(x, get("/2/users/me"), signal)).toMatchObject({
      failure: { code: "x_api_error" },
    });
    sandbox.faults.add({ operation: "getUsersMe", kind: "rate_limited" });
    expect(await sendRequest(x, get("/2/users/me"), signal)).toMatchObject({
      failure: { code: "x_rate_limited", retryAfterMs: 900_000 },
    });
    const withoutScopes = sandboxX(sandbox, { scopes: ["tweet.read"] });
    expect(await sendRequest(withoutScopes, get("/2/users/me"), signal)).toMatchObject({
      failure: {
        code: "x_forbidden",
        reason: "missing_scope",
        details: { scopes: ["tweet.read", "users.read"] },
      },
    });
  });

  it("shows an answer that is nested 20,000 levels deep as text, and does not trust it after a write", async () => {
    const deep = `{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const tokens = {
      userToken: async () => ok("t"),
      appToken: async () => ok("t"),
      rejected: async () => ok("t"),
    };
    const send = createRawSender({ tokens, fetch: async () => new Response(deep) });
    const x = { ...sandboxX(new Sandbox({ size })), send };
    expect(await sendRequest(x, get("/2/users/me"), signal)).toMatchObject({
      value: { json: null, body_text: deep },
    });
    const list = { ...get("/2/lists"), method: "POST" as const, body: '{"name":"Deep"}' };
    expect(await sendPostRequest(x, list, signal)).toMatchObject({
      failure: { code: "x_network_error", reason: "unreadable", details: { may_have_taken_effect: true } },
    });
  });

  it("is sent once, whatever happens to it", async () => {
    const sandbox = new Sandbox({ size });
    sandbox.faults.add({ operation: "createLists", kind: "drop" });
    const request = { ...get("/2/lists"), body: '{"name":"Once"}' };
    expect(await sendPostRequest(sandboxX(sandbox), request, signal)).toMatchObject({
      failure: { code: "x_network_error", details: { may_have_taken_effect: true } },
    });
    expect(sandbox.journal.of("createLists")).toHaveLength(1);
  });

  it("does not go out where the typed tool would not", async () => {
    const sandbox = new Sandbox({ size });
    const x = sandboxX(sandbox);
    const post = (path: string, body: object) =>
      sendPostRequest(x, { ...get(path), body: JSON.stringify(body) }, signal);
    const refused = { code: "x_forbidden", reason: "unavailable_on_plan" };
    expect(await post("/2/users/12/likes", { tweet_id: "1" })).toMatchObject({ failure: refused });
    expect(await post("/2/users/12/following", { target_user_id: "1" })).toMatchObject({ failure: refused });
    expect(await post("/2/tweets", { text: "hm", quote_tweet_id: "1" })).toMatchObject({ failure: refused });
    expect(await post("/2/tweets", { text: "x".repeat(281) })).toMatchObject({
      failure: { code: "tweet_too_long" },
    });
    expect(await post("/2/users/12/blocking", { target_user_id: "1" })).toMatchObject({
      failure: { code: "x_forbidden", reason: "removed_by_x" },
    });
    const put = { ...get("/2/users/12/pinned_tweet"), method: "PUT" as const, body: "{}" };
    expect(await sendRequest(x, put, signal)).toMatchObject({ failure: { reason: "removed_by_x" } });
    expect(await sendPostRequest(x, { ...get("/2/lists"), body: "[]" }, signal)).toMatchObject({
      failure: { code: "invalid_input" },
    });
    expect(await sendRequest(x, { ...get("/2/users/me"), host: "example.com" }, signal)).toMatchObject({
      failure: { code: "invalid_input", reason: "request_blocked" },
    });
    expect(sandbox.journal.entries).toEqual([]);
  });

  it("reads pages one after the other, and keeps them when one fails", async () => {
    const sandbox = new Sandbox({ size });
    const x = sandboxX(sandbox);
    const owner = sandbox.person("sandbox_owner").id;
    const request = get(`/2/users/${owner}/timelines/reverse_chronological`, { max_results: "10" });
    const three = await readRequestPages(x, request, 3, signal);
    expect(three).toMatchObject({ ok: true, value: { total_pages: 3, next_token: expect.any(String) } });

    sandbox.faults.add({ operation: "getUsersTimeline", kind: "rate_limited", at: 3 });
    const two = await readRequestPages(x, request, 10, signal);
    expect(two).toMatchObject({
      ok: true,
      value: { total_pages: 2, next_token: expect.any(String), failed: { code: "x_rate_limited" } },
    });
  });
});

describe("the sender", () => {
  const request = {
    method: "GET",
    host: "ads-api.x.com",
    path: "/12/accounts",
    query: [],
    headers: [],
  } as const;
  const tokens = {
    userToken: async () => ok("first"),
    appToken: async () => ok("app"),
    rejected: async () => ok("second"),
  };
  const options = {
    tokens,
    baseUrl: "https://api.x.com",
    clock: systemClock,
    timeoutMs: 30_000,
    userAgent: "test",
  };

  it("reaches X's other hosts only where X itself is configured", async () => {
    const urls: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      urls.push(String(url));
      return new Response("{}");
    };
    await createRawSender({ ...options, fetch })(request);
    await createRawSender({ ...options, fetch, baseUrl: "http://127.0.0.1:8080" })(request);
    expect(urls).toEqual(["https://ads-api.x.com/12/accounts", "http://127.0.0.1:8080/12/accounts"]);
  });

  it("asks for another token once when X refuses the first", async () => {
    const shown: (string | null)[] = [];
    const fetch = async (_url: unknown, init?: RequestInit) => {
      shown.push(new Headers(init?.headers).get("authorization"));
      return new Response("{}", { status: 401 });
    };
    const answer = await createRawSender({ ...options, fetch })(request);
    expect(shown).toEqual(["Bearer first", "Bearer second"]);
    expect(answer).toMatchObject({ ok: false, failure: { kind: "auth_expired" } });
  });

  it("follows no redirect with the token", async () => {
    const fetch = async (_url: unknown, init?: RequestInit) => {
      expect(init?.redirect).toBe("manual");
      return new Response(null, { status: 302, headers: { location: "https://evil.example" } });
    };
    expect(await createRawSender({ ...options, fetch })(request)).toMatchObject({
      failure: { kind: "other", status: 302 },
    });
  });

  it("tells what was never sent from what may have arrived", async () => {
    const throwing = (code: string) => async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
    };
    const refused = await createRawSender({ ...options, fetch: throwing("ECONNREFUSED") })(request);
    expect(refused).toMatchObject({ failure: { cause: "unreachable", ambiguous: false } });
    const broken = await createRawSender({ ...options, fetch: throwing("ECONNRESET") })(request);
    expect(broken).toMatchObject({ failure: { cause: "interrupted", ambiguous: true } });
  });

  it("stops at its timeout, or when aborted", async () => {
    const hanging = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      });
    let ring = () => {};
    const clock = {
      now: () => 0,
      after: (_ms: number, run: () => void) => {
        ring = run;
        return () => {};
      },
    };
    const late = createRawSender({ ...options, clock, fetch: hanging })(request);
    await new Promise((resolve) => setImmediate(resolve));
    ring();
    expect(await late).toMatchObject({ failure: { cause: "timeout" } });

    const control = new AbortController();
    const stopped = createRawSender({ ...options, fetch: hanging })(request, { signal: control.signal });
    await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    expect(await stopped).toMatchObject({ failure: { cause: "aborted" } });
  });
});
