import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FaultRequest, Sandbox } from "../src/index.ts";
import { hear } from "./caller.ts";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

describe.each(["in process", "over HTTP"])("a fault %s", (where) => {
  let sandbox: Sandbox;
  let send: Send;

  beforeEach(async () => {
    sandbox = new Sandbox({ seed: 7, size: { people: 8, posts: 20 } });
    const authorization = `Bearer ${sandbox.signIn().accessToken}`;
    const base = where === "over HTTP" ? await sandbox.listen() : "https://api.x.com";
    const fetch = where === "over HTTP" ? globalThis.fetch : sandbox.fetch;
    send = (path, init) =>
      fetch(`${base}${path}`, { ...init, headers: { authorization, "content-type": "application/json" } });
  });

  afterEach(() => sandbox.close());

  const post = (text = "Hello"): Promise<Response> =>
    send("/2/tweets", { method: "POST", body: JSON.stringify({ text }) });
  const posted = (text = "Hello"): boolean =>
    [...sandbox.world.posts.values()].some((made) => made.submitted === text);

  test("drop after the commit: no answer, but the post is there and its repetition a duplicate", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    await expect(post()).rejects.toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      cause: { code: "UND_ERR_SOCKET" },
    });
    expect(posted()).toBe(true);
    const again = await hear(await post());
    expect(again.status).toBe(403);
    expect(again.at("detail")).toBe("You are not allowed to create a Tweet with duplicate content.");
  });

  test("drop before: no answer and no post", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "before" });
    await expect(post()).rejects.toMatchObject({ cause: { code: "UND_ERR_SOCKET" } });
    expect(posted()).toBe(false);
    expect((await post()).status).toBe(201);
  });

  test("reset: the connection is reset, before or after", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "reset", when: "before" });
    await expect(post()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(posted()).toBe(false);
    sandbox.faults.add({ operation: "createPosts", kind: "reset" });
    await expect(post()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(posted()).toBe(true);
  });

  test("late: the caller hangs up, and the post appears when it is due", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "late", delayMs: 38_000 });
    const patience = new AbortController();
    const waiting = send("/2/tweets", { method: "POST", body: '{"text":"Hello"}', signal: patience.signal });
    while (sandbox.journal.entries.length === 0) await new Promise(setImmediate);
    patience.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    sandbox.clock.advance(37_999);
    await sandbox.catchUp();
    expect(posted()).toBe(false);
    sandbox.clock.advance(60_000);
    // Created at its own time.
    expect((await post()).status).toBe(403);
    const made = [...sandbox.world.posts.values()].find(({ submitted }) => submitted === "Hello");
    expect(made?.at).toBe(sandbox.clock.start + 38_000);
  });

  test("late_reset: the connection breaks at once, and the post appears all the same", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "late_reset", delayMs: 90_000 });
    await expect(post()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(posted()).toBe(false);
    sandbox.clock.advance(90_000);
    await sandbox.catchUp();
    expect(posted()).toBe(true);
  });

  test("none: every answer has the sandbox's time in its Date header", async () => {
    sandbox.clock.set(Date.UTC(2031, 4, 5, 6, 7, 8));
    expect((await send("/2/users/me")).headers.get("date")).toBe("Mon, 05 May 2031 06:07:08 GMT");
  });

  test("hang: only the caller's timeout ends it", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "hang" });
    const patience = new AbortController();
    const waiting = send("/2/tweets", { method: "POST", body: '{"text":"Hello"}', signal: patience.signal });
    const outcome = expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    await until(() => posted());
    patience.abort();
    await outcome;
  });

  test("error: X fails with a string where a list of objects is promised", async () => {
    sandbox.faults.add({ operation: "*", kind: "error", status: 502 });
    const heard = await hear(await post());
    expect(heard.status).toBe(502);
    expect(heard.body).toEqual({ errors: ["internal server error"] });
    expect(posted()).toBe(false);
    sandbox.faults.add({ operation: "createPosts", kind: "error", when: "after" });
    expect((await post()).status).toBe(503);
    expect(posted()).toBe(true);
  });

  test("html: X fails with a page", async () => {
    sandbox.faults.add({ operation: "getUsersMe", kind: "html", status: 503 });
    const response = await send("/2/users/me");
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toContain("<!DOCTYPE html>");
  });

  test("slow: the body comes in pieces and is whole in the end", async () => {
    sandbox.faults.add({ operation: "getUsersMe", kind: "slow", chunks: 3, delayMs: 1 });
    const response = await send("/2/users/me");
    const pieces: string[] = [];
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(""))).toMatchObject({ data: { username: "sandbox_owner" } });
  });

  test("stall: half of the body comes, and the caller must time out", async () => {
    sandbox.faults.add({ operation: "getUsersMe", kind: "stall" });
    const patience = new AbortController();
    const response = await send("/2/users/me", { signal: patience.signal });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const { value = new Uint8Array() } = (await reader?.read()) ?? {};
    expect(Buffer.from(value).toString()).toMatch(/^{"data":/);
    const rest = expect(reader?.read()).rejects.toMatchObject({ name: "AbortError" });
    patience.abort();
    await rest;
  });

  test("unauthorized in the middle: the third part of a thread is refused, the fourth is not", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "unauthorized", at: 3 });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(`Part ${i}`)).status);
    expect(statuses).toEqual([201, 201, 401, 201]);
    expect(posted("Part 2")).toBe(false);
  });

  test("rate limited from request k on, with the reset time in headers", async () => {
    sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 2, count: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(`Part ${i}`)).status);
    expect(statuses).toEqual([201, 429, 429, 201]);
  });

  test("rate limited reports the limit and reset time of the operation's window", async () => {
    const ends = sandbox.clock.now() / 1_000 + 900;
    const windowOf = ({ headers }: Response) =>
      ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-rate-limit-${name}`)));
    expect(windowOf(await send("/2/users/me"))).toEqual([75, 74, ends]);
    sandbox.clock.advance(60_000);
    sandbox.faults.add({ operation: "getUsersMe", kind: "rate_limited" });
    const refused = await send("/2/users/me");
    expect(refused.status).toBe(429);
    expect(windowOf(refused)).toEqual([75, 0, ends]);
    expect(windowOf(await send("/2/users/me"))).toEqual([75, 73, ends]);
  });

  test("faults of the token endpoint lose the rotated token", async () => {
    const { refreshToken = "" } = sandbox.signIn();
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      client_id: sandbox.app.clientId,
    });
    sandbox.faults.add({ operation: "oauth2.token", kind: "drop" });
    const refresh = (): Promise<Response> =>
      send("/2/oauth2/token", { method: "POST", body: body.toString() });
    await expect(refresh()).rejects.toThrow("fetch failed");
    expect((await refresh()).status).toBe(400);
  });

  test("the journal has every request and its fault", async () => {
    const faults: FaultRequest[] = [
      { operation: "createPosts", kind: "drop" },
      { operation: "createPosts", kind: "error", at: 2 },
    ];
    for (const fault of faults) sandbox.faults.add(fault);
    await expect(post("One")).rejects.toThrow();
    await post("Two");
    await post("Three");
    expect(sandbox.journal.of("createPosts")).toMatchObject([
      { status: undefined, fault: "drop", user: "sandbox_owner", usd: 0.015, body: { text: "One" } },
      { status: 503, fault: "error" },
      { status: 201, fault: undefined, body: { text: "Three" } },
    ]);
    expect(sandbox.faults.planned).toEqual([]);
    expect(JSON.stringify(sandbox.journal.entries)).not.toContain("Bearer");
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
