import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";
import { type Heard, hear } from "./caller.ts";

describe("looking at the sandbox and steering it over HTTP", () => {
  let sandbox: Sandbox;
  let url: string;

  beforeAll(async () => {
    sandbox = new Sandbox({ seed: 7, size: { people: 12, posts: 40 } });
    url = await sandbox.listen();
  });

  afterAll(() => sandbox.close());

  async function send(method: string, path: string, body?: unknown, token?: string): Promise<Heard> {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
    return hear(response);
  }

  test("lists its routes", async () => {
    const heard = await send("GET", "/_sandbox");
    expect(heard.at("routes")).toContain("POST /_sandbox/clock: move it {advance_ms} or {set: ISO time}");
    expect((await send("GET", "/_sandbox/nothing")).status).toBe(404);
  });

  test("signs users in, with the scopes one asks for", async () => {
    const tokens = await send("POST", "/_sandbox/tokens", {
      user: "sandbox_friend",
      scopes: ["tweet.read", "users.read"],
    });
    expect(tokens.at("scope")).toBe("tweet.read users.read");
    const me = await send("GET", "/2/users/me", undefined, tokens.word("access_token"));
    expect(me.word("data", "username")).toBe("sandbox_friend");
    expect((await send("POST", "/_sandbox/tokens", { user: "nobody" })).body).toEqual({
      error: "Nobody is called @nobody.",
    });
    for (const scopes of [["tweet.read", "nope"], "tweet.read"]) {
      const refused = await send("POST", "/_sandbox/tokens", { scopes });
      expect(refused.status).toBe(400);
      expect(refused.word("error")).toMatch(
        /^scopes must be a list of X's scopes(, not nope)?: .*tweet\.read/,
      );
    }
  });

  test("approves an authorize request at once", async () => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: sandbox.app.clientId,
      redirect_uri: "http://127.0.0.1:8080/callback",
      scope: "tweet.read",
      state: "s",
      code_challenge: "c",
      user: "sandbox_friend",
    });
    const heard = await send("GET", `/_sandbox/authorize?${query}`);
    expect(heard.status).toBe(302);
    expect(heard.headers.get("location")).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/callback\?state=s&code=\w{60}$/,
    );
  });

  test("shows requests, costs and state, and forgets them", async () => {
    await send("POST", "/_sandbox/reset", { seed: 9 });
    const token = (await send("POST", "/_sandbox/tokens")).word("access_token");
    await send("POST", "/2/tweets", { text: "Seen" }, token);
    await send("GET", "/2/users/me", undefined, token);
    const journal = await send("GET", "/_sandbox/journal?operation=createPosts");
    expect(journal.at("requests")).toMatchObject([
      { operation: "createPosts", status: 201, user: "sandbox_owner", usd: 0.015, body: { text: "Seen" } },
    ]);
    expect((await send("GET", "/_sandbox/journal?last=1")).at("requests")).toMatchObject([
      { operation: "getUsersMe" },
    ]);
    const ledger = await send("GET", "/_sandbox/ledger");
    expect(ledger.at("balance_usd")).toBe(99.975);
    expect(ledger.at("entries", 0, "lines", 0)).toEqual({
      priceClass: "post_create",
      count: 1,
      billed: 1,
      usdEach: 0.015,
    });
    const state = await send("GET", "/_sandbox/state");
    expect(state.at("seed")).toBe(9);
    expect(state.text).toContain('"submitted":"Seen"');
    expect(state.text).not.toContain(token);
    await send("DELETE", "/_sandbox/journal");
    expect((await send("GET", "/_sandbox/journal")).at("requests")).toEqual([]);
    await send("POST", "/_sandbox/reset", { seed: 7 });
    expect((await send("GET", "/_sandbox/state")).at("digest")).toBe(
      new Sandbox({ seed: 7, size: { people: 12, posts: 40 } }).dump().digest,
    );
  });

  test("moves the clock", async () => {
    expect((await send("POST", "/_sandbox/clock", { advance_ms: 60_000 })).at("now")).toBe(
      "2026-09-01T12:01:00.000Z",
    );
    expect((await send("POST", "/_sandbox/clock", { set: "2026-09-02T00:00:00Z" })).at("now")).toBe(
      "2026-09-02T00:00:00.000Z",
    );
    expect((await send("GET", "/_sandbox/clock")).at("runs")).toBe(false);
    const now = sandbox.clock.now();
    for (const step of [-1, 0.5])
      expect((await send("POST", "/_sandbox/clock", { advance_ms: step })).body).toEqual({
        error: "Send advance_ms (a whole number from 0), or set with an ISO time.",
      });
    for (const move of [{ advance_ms: 1e300 }, { set: "1999-01-01T00:00:00Z" }])
      expect((await send("POST", "/_sandbox/clock", move)).body).toEqual({
        error: "The clock goes from 2019-01-01T00:00:00.000Z to 2080-01-01T00:00:00.000Z.",
      });
    expect(sandbox.clock.now()).toBe(now);
  });

  test("sets plan, credits, enrolment and people", async () => {
    expect((await send("POST", "/_sandbox/plan", { plan: "enterprise" })).body).toEqual({
      plan: "enterprise",
    });
    expect((await send("POST", "/_sandbox/plan", { plan: "free" })).body).toEqual({
      error: "plan must be one of self_serve, enterprise.",
    });
    expect(
      (await send("POST", "/_sandbox/credits", { balance_usd: 1.5, monthly_post_cap: 10 })).body,
    ).toEqual({ balance_usd: 1.5, monthly_post_cap: 10 });
    expect((await send("POST", "/_sandbox/credits", {})).status).toBe(400);
    expect((await send("POST", "/_sandbox/apps", { enrolled: false })).at("enrolled")).toBe(false);
    expect((await send("POST", "/_sandbox/apps", { enrolled: true })).at("enrolled")).toBe(true);
    expect(
      (
        await send("POST", "/_sandbox/people", {
          user: "sandbox_owner",
          subscription: "Premium",
          account_status: "locked",
        })
      ).body,
    ).toMatchObject({
      subscription: "Premium",
      accountStatus: "locked",
    });
    const wrong = { user: "sandbox_owner", account_status: "active", protected: "yes" };
    expect((await send("POST", "/_sandbox/people", wrong)).body).toEqual({
      error: "protected must be one of true, false.",
    });
    expect(sandbox.person("sandbox_owner").accountStatus).toBe("locked");
    expect((await send("POST", "/_sandbox/people", { user: "sandbox_owner", locked: false })).body).toEqual({
      error:
        "A person has no `locked` to change; there are account_status, subscription, verified, protected, opens_dms.",
    });
    await send("POST", "/_sandbox/people", { user: "sandbox_owner", account_status: "active" });
  });

  test("posts as other people", async () => {
    const said = await send("POST", "/_sandbox/posts", {
      user: "sandbox_friend",
      text: "Hello @sandbox_owner",
    });
    const token = (await send("POST", "/_sandbox/tokens")).word("access_token");
    const mentions = await send(
      "GET",
      `/2/users/${sandbox.person("sandbox_owner").id}/mentions`,
      undefined,
      token,
    );
    expect(mentions.ids[0]).toBe(said.word("id"));
    for (const name of ["in_reply_to", "quoting"]) {
      const lost = await send("POST", "/_sandbox/posts", {
        user: "sandbox_friend",
        text: "Yes",
        [name]: "1",
      });
      expect(lost.status).toBe(404);
      expect(lost.body).toEqual({ error: "There is no post 1." });
    }
  });

  test("accepts only whole numbers for reset and history", async () => {
    const { digest } = sandbox.dump();
    expect((await send("POST", "/_sandbox/reset", { seed: "9" })).body).toEqual({
      error: "seed must be a whole number.",
    });
    expect(sandbox.dump().digest).toBe(digest);
    expect((await send("GET", "/_sandbox/journal?last=all")).body).toEqual({
      error: "last must be a whole number.",
    });
  });

  test("adds faults, and explains an invalid one", async () => {
    const planned = await send("POST", "/_sandbox/faults", { operation: "createPosts", kind: "drop", at: 2 });
    expect(planned.at("faults")).toMatchObject([
      { operation: "createPosts", kind: "drop", when: "after", at: 2, count: 1, seen: 0 },
    ]);
    for (const [wish, words] of [
      [
        { operation: "makePosts", kind: "drop" },
        "`operation` must be an operation id such as createPosts, or one of oauth2.authorize, oauth2.token, oauth2.revoke, oauth2.app_token, *.",
      ],
      [
        { operation: "oauth2.nope", kind: "drop" },
        "`operation` must be an operation id such as createPosts, or one of oauth2.authorize, oauth2.token, oauth2.revoke, oauth2.app_token, *.",
      ],
      [
        { operation: "*", kind: "explode" },
        "`kind` must be one of drop, reset, hang, error, html, slow, stall, unauthorized, rate_limited, late, late_reset.",
      ],
      [{ operation: "*", kind: "drop", when: "later" }, "`when` must be before or after."],
      [{ operation: "*", kind: "drop", at: 0 }, "`at` must be a whole number from 1 to 1000000."],
      [
        { operation: "*", kind: "drop", att: 2 },
        "drop has no `att`; it takes operation, kind, at, count, when.",
      ],
      [
        { operation: "*", kind: "drop", status: 500 },
        "drop has no `status`; it takes operation, kind, at, count, when.",
      ],
      [{ operation: "*", kind: "error", status: 5 }, "`status` must be a whole number from 400 to 599."],
      [{ operation: "*", kind: "error", status: 204 }, "`status` must be a whole number from 400 to 599."],
      [
        { operation: "*", kind: "stall", when: "before" },
        "stall has no `when`; it takes operation, kind, at, count.",
      ],
    ] as const) {
      expect((await send("POST", "/_sandbox/faults", wish)).body).toEqual({ error: words });
    }
    expect((await send("DELETE", "/_sandbox/faults")).at("faults")).toEqual([]);
    const script = {
      faults: [
        { operation: "createPosts", kind: "drop" },
        { operation: "getUsersMe", kind: "stall", at: 3 },
      ],
    };
    expect((await send("POST", "/_sandbox/faults", script)).at("faults")).toMatchObject(script.faults);
    const broken = { faults: [{ operation: "*", kind: "drop" }, {}] };
    expect((await send("POST", "/_sandbox/faults", broken)).status).toBe(400);
    expect((await send("GET", "/_sandbox/faults")).at("faults")).toHaveLength(2);
  });

  test("rejects requests from pages of other sites", async () => {
    const from = async (origin: string): Promise<number> => {
      const body = '{"balance_usd":50}';
      const response = await fetch(`${url}/_sandbox/credits`, { method: "POST", body, headers: { origin } });
      return response.status;
    };
    const before = sandbox.ledger.balanceUsd;
    for (const origin of ["https://evil.example", "http://localhost.evil.example", "null"])
      expect(await from(origin), origin).toBe(403);
    expect(sandbox.ledger.balanceUsd).toBe(before);
    for (const origin of [url, "http://localhost:3000", "https://[::1]:8443"])
      expect(await from(origin), origin).toBe(200);
  });

  test("rejects requests with another Host", async () => {
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      request(`${url}/_sandbox/state`, { headers: { host: "evil.example" } }, (response) =>
        resolve(response.resume().statusCode),
      ).end();
    });
    expect(status).toBe(421);
  });
});
