import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  beginLogin,
  type Clock,
  createXClient,
  finishLogin,
  isRetryable,
  isTransient,
  mapError,
  mayHaveTakenEffect,
  type OAuthApp,
  type ProviderError,
  readAllPages,
  retryReads,
  Secret,
  scopesFor,
  TokenKeeper,
  uploadMedia,
  type XClient,
} from "@toolpact/x-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cast, type FaultWish, Sandbox } from "../src/index.ts";

const hour = 3_600_000;

/** The client of this workspace and the sandbox, as users of both have them. */
describe.each(["in process", "over HTTP"])("the client and the sandbox, %s", (where) => {
  let sandbox: Sandbox;
  let folder: string;
  let surroundings: { baseUrl: string; fetch: typeof fetch; clock: Clock };
  let keeper: TokenKeeper;
  /** Sends once. */
  let client: XClient;
  /** Repeats reads. */
  let patient: XClient;
  let timers: Set<() => void>;
  let app: OAuthApp;

  beforeEach(async () => {
    sandbox = new Sandbox({ seed: 7, size: { people: 40, posts: 300 } });
    folder = await mkdtemp(join(tmpdir(), "x-sandbox-client-"));
    timers = new Set();
    surroundings =
      where === "over HTTP"
        ? { baseUrl: await sandbox.listen(), fetch: globalThis.fetch, clock: held() }
        : { baseUrl: "https://api.x.com", fetch: sandbox.fetch, clock: held() };
    app = { clientId: sandbox.app.clientId, redirectUri: "http://127.0.0.1:8080/callback" };
    const appToken = new Secret(sandbox.app.bearerToken);
    const path = join(folder, "tokens.json");
    keeper = new TokenKeeper({ app, path, appToken, loginCommand: "sign-in", ...surroundings });
    client = createXClient({ tokens: keeper, ...surroundings });
    patient = retryReads(client, { clock: leaping() });
    const back = await consent();
    const grant = await finishLogin(back.pending, back.redirectTo, surroundings);
    if (!grant.ok) throw new Error(grant.failure.message);
    await keeper.signIn(grant.value);
  });

  afterEach(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });

  /** The sandbox's time; what waits in it waits until the test lets it go. */
  function held(): Clock {
    return {
      now: () => sandbox.clock.now(),
      after: (_ms, run) => {
        timers.add(run);
        return () => timers.delete(run);
      },
    };
  }

  /** The sandbox's time, which goes forward by as much as somebody wants to wait. */
  function leaping(): Clock {
    return {
      now: () => sandbox.clock.now(),
      after: (ms, run) => {
        const leap = setImmediate(() => {
          sandbox.clock.advance(Math.ceil(ms));
          run();
        });
        return () => clearImmediate(leap);
      },
    };
  }

  async function consent() {
    const pending = await beginLogin(app, scopesFor(used), surroundings);
    const decision = sandbox.consent(pending.url);
    if ("complaint" in decision) throw new Error(decision.complaint);
    return { pending, redirectTo: decision.redirectTo };
  }

  const post = (text: string, more: Readonly<Record<string, unknown>> = {}) =>
    client.call<{ id: string }>("createPosts", { body: { text, ...more } });
  const isPosted = (text: string): boolean =>
    [...sandbox.world.posts.values()].some(({ submitted }) => submitted === text);
  const requests = (operation: string): number => sandbox.journal.of(operation).length;
  const owner = () => sandbox.person(cast.owner);

  async function failureOf(
    call: Promise<{ ok: true } | { ok: false; failure: ProviderError }>,
  ): Promise<ProviderError> {
    const outcome = await call;
    if (outcome.ok) throw new Error("This should have failed.");
    return outcome.failure;
  }

  async function file(name: string, head: string, bytes: number): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(bytes - head.length)]));
    return path;
  }

  describe("signing in", () => {
    test("leads through PKCE to tokens in a file of the user's own, and a code works once", async () => {
      expect(((await stat(join(folder, "tokens.json"))).mode & 0o777).toString(8)).toBe("600");
      expect(await client.call("getUsersMe")).toMatchObject({
        ok: true,
        value: { data: { id: owner().id, username: cast.owner } },
      });
      const { pending, redirectTo } = await consent();
      const foreign = redirectTo.replace(/state=[^&]+/, "state=foreign");
      expect((await finishLogin(pending, foreign, surroundings)).ok).toBe(false);
      expect((await finishLogin(pending, redirectTo, surroundings)).ok).toBe(true);
      expect(await finishLogin(pending, redirectTo, surroundings)).toMatchObject({
        ok: false,
        failure: { kind: "invalid_grant" },
      });
    });

    test("lasts: the token is refreshed when it is over, and after a 401", async () => {
      sandbox.clock.advance(2 * hour);
      expect((await client.call("getUsersMe")).ok).toBe(true);
      expect(requests("oauth2.token")).toBe(2);
      sandbox.faults.add({ operation: "createPosts", kind: "unauthorized" });
      expect((await post("Hello")).ok).toBe(true);
      expect(requests("oauth2.token")).toBe(3);
      expect(sandbox.journal.of("createPosts").map(({ status }) => status)).toEqual([401, 201]);
    });

    test("that ends with a refused refresh is over, and says so", async () => {
      sandbox.signIn();
      sandbox.clock.advance(2 * hour);
      expect(await failureOf(client.call("getUsersMe"))).toMatchObject({ kind: "auth_expired" });
    });

    test.each<FaultWish>([
      { operation: "oauth2.token", kind: "error" },
      { operation: "oauth2.token", kind: "drop", when: "before" },
    ])("that cannot be refreshed for now leaves no doubt about a write: $kind", async (fault) => {
      sandbox.clock.advance(2 * hour);
      sandbox.faults.add(fault);
      const failure = await failureOf(post("Never sent"));
      expect(mayHaveTakenEffect(failure)).toBe(false);
      expect(requests("createPosts")).toBe(0);
      expect((await post("Sent now")).ok).toBe(true);
    });

    test("ends with signing out", async () => {
      expect(await keeper.signOut()).toMatchObject({ ok: true, value: { revoked: true } });
      expect(await failureOf(client.call("getUsersMe"))).toMatchObject({ kind: "auth_expired" });
    });
  });

  describe("reading", () => {
    test("searches, with the authors of what is found", async () => {
      const found = await client.call<{ author_id: string }[]>("searchPostsRecent", {
        query: { query: "about", max_results: 10, expansions: "author_id", "post.fields": "author_id" },
      });
      if (!found.ok) throw new Error(found.failure.message);
      expect(found.value.data).toHaveLength(10);
      expect(found.value.pagination).toMatchObject({ result_count: 10, has_more: true });
      const authors = new Set(found.value.data.map(({ author_id }) => author_id));
      expect(found.value.includes.users).toHaveLength(authors.size);
    });

    test("pages to the end, and keeps what it has when a page fails", async () => {
      const args = { path: { id: owner().id }, query: { max_results: 5 } };
      const all = await readAllPages<{ id: string }>(client, "getUsersFollowers", args, { maxPages: 50 });
      const whole = { ...args, query: { max_results: 100 } };
      expect(await client.call("getUsersFollowers", whole)).toMatchObject({
        ok: true,
        value: { data: all.items },
      });
      expect(all).toMatchObject({ stopped: "end", pages: Math.ceil(all.items.length / 5) });
      expect(all.pages).toBeGreaterThan(1);
      sandbox.faults.add({ operation: "getUsersFollowers", kind: "error", at: 2 });
      const cut = await readAllPages<{ id: string }>(client, "getUsersFollowers", args, { maxPages: 50 });
      expect(cut).toMatchObject({ stopped: "failed", pages: 1, failure: { kind: "server_error" } });
      expect(cut.items).toEqual(all.items.slice(0, 5));
      expect(cut.next_token).toEqual(expect.any(String));
    });

    test("finding nothing is no error, asking for one who is not there is, and a list tells what it lacks", async () => {
      expect(await client.call("searchPostsRecent", { query: { query: "xylophonist" } })).toMatchObject({
        ok: true,
        value: { data: [], pagination: { result_count: 0, has_more: false } },
      });
      expect(
        await failureOf(client.call("getUsersByUsername", { path: { username: "nobody_at_all" } })),
      ).toMatchObject({ kind: "not_found", problem: "resource-not-found" });
      const [there = ""] = [...sandbox.world.posts.keys()];
      const some = await client.call("getPostsByIds", { query: { ids: [there, "2"] } });
      expect(some).toMatchObject({ ok: true, value: { data: [{ id: there }], errors: [{}] } });
    });

    test("a list of which nothing is there tells why of each", async () => {
      const none = await client.call("getPostsByIds", { query: { ids: ["1", "2"] } });
      expect(none).toMatchObject({ ok: true, value: { data: [], errors: [{}, {}] } });
    });

    test("repeats reads that failed for the moment, and tells how often", async () => {
      sandbox.faults.add({ operation: "getUsersMe", kind: "error", count: 2 });
      expect(await patient.call("getUsersMe")).toMatchObject({ ok: true, value: { retries: 2 } });
      sandbox.faults.add({ operation: "getUsersMe", kind: "html", status: 502, count: 3 });
      expect(await failureOf(patient.call("getUsersMe"))).toMatchObject({
        kind: "server_error",
        status: 502,
        retries: 2,
      });
      sandbox.faults.add({ operation: "getUsersMe", kind: "rate_limited" });
      expect(await failureOf(patient.call("getUsersMe"))).not.toHaveProperty("retries");
    });

    test("what the sandbox does not serve is not tried again", async () => {
      const failure = await failureOf(patient.call("getTrendsByWoeid", { path: { woeid: 1 } }));
      expect(failure).toMatchObject({ kind: "other", status: 501 });
      expect(requests("getTrendsByWoeid")).toBe(1);
    });
  });

  describe("writing", () => {
    test("posts once: the same text again is a duplicate", async () => {
      expect((await post("Hello")).ok).toBe(true);
      expect(await failureOf(post("Hello"))).toMatchObject({
        kind: "forbidden",
        reason: "duplicate_content",
      });
    });

    test("on self-serve answers those who called, and is refused what the plan lacks", async () => {
      const stranger = sandbox.say(cast.stranger, "A fact about boats");
      const caller = sandbox.say(cast.friend, `What do you think, @${cast.owner}?`);
      const replyTo = (id: string) => ({ reply: { in_reply_to_tweet_id: id } });
      expect((await post("A lot", replyTo(caller.id))).ok).toBe(true);
      expect(await failureOf(post("Hi", replyTo(stranger.id)))).toMatchObject({
        kind: "forbidden",
        reason: "reply_not_allowed",
      });
      const lacking = { kind: "forbidden", reason: "unavailable_on_plan" };
      expect(await failureOf(post("Look", { quote_tweet_id: stranger.id }))).toMatchObject(lacking);
      const like = { path: { id: owner().id }, body: { tweet_id: stranger.id } };
      expect(await failureOf(client.call("likePost", like))).toMatchObject(lacking);
      sandbox.plan = "enterprise";
      expect((await client.call("likePost", like)).ok).toBe(true);
      expect((await post("Look", { quote_tweet_id: stranger.id })).ok).toBe(true);
    });

    test("tells which scopes are missing", async () => {
      const { accessToken } = sandbox.signIn({ scopes: ["tweet.read", "users.read"] });
      const narrow = createXClient({
        ...surroundings,
        tokens: {
          userToken: async () => ({ ok: true, value: accessToken }),
          appToken: async () => ({ ok: false, failure: "none" }),
          rejected: async () => ({ ok: false, failure: "none" }),
        },
      });
      expect(await failureOf(narrow.call("createPosts", { body: { text: "Hi" } }))).toMatchObject({
        kind: "forbidden",
        reason: "missing_scope",
        scopes: expect.arrayContaining(["tweet.write"]),
      });
    });
  });

  describe("uploading", () => {
    test.each([
      ["an image", "\x89PNG\r\n\x1a\n", 5_000, "image", ["mediaUpload"]],
      [
        "a film in parts",
        "\0\0\0\x18ftypmp42",
        5 * 1_048_576,
        "video",
        ["appendMediaUpload", "appendMediaUpload"],
      ],
    ] as const)("%s with alternative text, and posting it", async (_what, head, bytes, kind, parts) => {
      const path = await file("thing.bin", head, bytes);
      const clock = leaping();
      const uploaded = await uploadMedia(client, { path, altText: "A cat asleep", clock });
      if (!uploaded.ok) throw new Error(uploaded.failure.message);
      expect(uploaded.value).toMatchObject({ kind, bytes });
      expect(uploaded.value).not.toHaveProperty("altTextFailure");
      const { mediaId } = uploaded.value;
      expect(sandbox.world.media.get(mediaId)).toMatchObject({ altText: "A cat asleep", state: "ready" });
      const sent = sandbox.journal.entries.map(({ operation }) => operation ?? "");
      expect(sent.filter((operation) => parts.some((part) => part === operation))).toEqual(parts);
      const made = await post("Look", { media: { media_ids: [mediaId] } });
      if (!made.ok) throw new Error(made.failure.message);
      expect(sandbox.world.posts.get(made.value.data.id)?.mediaIds).toEqual([mediaId]);
    });

    test("sends no HEIC picture as a film", async () => {
      const path = await file("picture.heic", "\0\0\0\x18ftypheic", 5_000);
      const before = sandbox.journal.entries.length;
      expect((await uploadMedia(client, { path, clock: leaping() })).ok).toBe(false);
      expect(sandbox.journal.entries).toHaveLength(before);
    });
  });

  describe("a fault", () => {
    const interrupted = { kind: "network", cause: "interrupted", ambiguous: true };
    test.each<[FaultWish["kind"], Partial<FaultWish>, object, "posted" | "not posted"]>([
      ["drop", { when: "after" }, interrupted, "posted"],
      ["drop", { when: "before" }, interrupted, "not posted"],
      ["reset", { when: "after" }, interrupted, "posted"],
      ["reset", { when: "before" }, interrupted, "not posted"],
      ["error", { when: "after", status: 500 }, { kind: "server_error", status: 500 }, "posted"],
      ["error", { when: "before" }, { kind: "server_error", status: 503 }, "not posted"],
      ["html", { when: "after", status: 502 }, { kind: "server_error", status: 502 }, "posted"],
      ["html", { when: "before" }, { kind: "server_error", status: 503 }, "not posted"],
    ])("%s %o leaves a write in doubt, which is sent once", async (kind, wish, expected, outcome) => {
      sandbox.faults.add({ operation: "createPosts", kind, ...wish });
      const failure = await failureOf(patient.call("createPosts", { body: { text: "Hello" } }));
      expect(failure).toMatchObject(expected);
      expect([mayHaveTakenEffect(failure), isTransient(failure), isRetryable(failure)]).toEqual([
        true,
        true,
        true,
      ]);
      expect(isPosted("Hello")).toBe(outcome === "posted");
      expect(requests("createPosts")).toBe(1);
    });

    test.each(["hang", "stall"] as const)("%s ends with the client's patience", async (kind) => {
      sandbox.faults.add({ operation: "createPosts", kind });
      const failing = failureOf(post("Hello"));
      while (requests("createPosts") === 0) await new Promise((resolve) => setImmediate(resolve));
      for (const run of timers) run();
      const failure = await failing;
      expect(failure).toMatchObject({ kind: "network", cause: "timeout", ambiguous: true });
      expect(mayHaveTakenEffect(failure)).toBe(true);
      expect(isPosted("Hello")).toBe(true);
    });

    test("slow is no failure", async () => {
      sandbox.faults.add({ operation: "createPosts", kind: "slow", delayMs: 1 });
      expect((await post("Hello")).ok).toBe(true);
    });

    test("unauthorized, twice, is a token that X does not want", async () => {
      sandbox.faults.add({ operation: "createPosts", kind: "unauthorized", count: 2 });
      const failure = await failureOf(post("Hello"));
      expect(failure).toMatchObject({ kind: "auth_expired" });
      expect([mayHaveTakenEffect(failure), isRetryable(failure)]).toEqual([false, false]);
      expect(isPosted("Hello")).toBe(false);
    });

    test("rate_limited tells when the operation's own window is over", async () => {
      expect((await post("First")).ok).toBe(true);
      sandbox.clock.advance(60_000);
      sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
      const failure = await failureOf(post("Hello"));
      expect(failure).toMatchObject({ kind: "rate_limited", limit: "window", retryAfterMs: 840_000 });
      expect([mayHaveTakenEffect(failure), isTransient(failure), isRetryable(failure)]).toEqual([
        false,
        false,
        true,
      ]);
      expect(client.rateWindows("createPosts").find(({ seconds }) => seconds === 900)).toMatchObject({
        limit: 100,
        remaining: 0,
        resetAt: sandbox.clock.now() + 840_000,
      });
    });
  });

  describe("limits and money", () => {
    test("the first 429: the window is used up, and waiting helps", async () => {
      for (let used = 0; used < 75; used++) await client.call("getUsersMe");
      expect(client.rateWindows("getUsersMe")).toMatchObject([{ limit: 75, remaining: 0, seconds: 900 }]);
      const resetAt = sandbox.clock.now() + 900_000;
      const failure = await failureOf(client.call("getUsersMe"));
      expect(failure).toMatchObject({
        kind: "rate_limited",
        limit: "window",
        retryAfterMs: 900_000,
        resetAt,
      });
      sandbox.clock.set(resetAt);
      expect((await client.call("getUsersMe")).ok).toBe(true);
    });

    test("a second's window is known beside that of 15 minutes", async () => {
      const search = () => client.call("searchPostsAll", { query: { query: "about" } });
      expect((await search()).ok).toBe(true);
      const windows = client
        .rateWindows("searchPostsAll")
        .map(({ seconds, remaining }) => [seconds, remaining]);
      expect(windows.sort()).toEqual([
        [1, 0],
        [900, 299],
      ]);
      expect(await failureOf(search())).toMatchObject({ kind: "rate_limited", retryAfterMs: 1_000 });
    });

    test("the second 429: the month's posts are used up, and waiting does not help", async () => {
      sandbox.ledger.monthlyPostCap = 0;
      const failure = await failureOf(client.call("searchPostsRecent", { query: { query: "about" } }));
      expect(failure).toMatchObject({ kind: "forbidden", reason: "usage_capped", problem: "usage-capped" });
      expect(isRetryable(failure)).toBe(false);
    });

    test("the third 429: a stream is open already", async () => {
      const open = () =>
        surroundings.fetch(`${surroundings.baseUrl}/2/tweets/search/stream`, {
          headers: { authorization: `Bearer ${sandbox.app.bearerToken}` },
        });
      const stream = await open();
      const second = await open();
      const failure = mapError(second.status, second.headers, await second.json(), {
        now: sandbox.clock.now(),
      });
      expect(failure).toMatchObject({ kind: "rate_limited", limit: "connections" });
      await stream.body?.cancel();
    });

    test("both 402s are an empty account", async () => {
      sandbox.ledger.balanceUsd = 0;
      const empty = { kind: "forbidden", reason: "credits_depleted" };
      expect(await failureOf(client.call("getUsersMe"))).toMatchObject({ ...empty, problem: "credits" });
      expect(await failureOf(post("Hello"))).toMatchObject({ ...empty, problem: "credits-depleted" });
      expect(isPosted("Hello")).toBe(false);
    });

    test("a locked account is told apart from a refusal", async () => {
      owner().standing = "locked";
      expect(await failureOf(post("Hello"))).toMatchObject({
        kind: "account_restricted",
        restriction: "locked",
      });
    });
  });
});

const used = [
  "createPosts",
  "createMediaMetadata",
  "getPostsByIds",
  "getUsersByUsername",
  "getUsersFollowers",
  "getUsersMe",
  "likePost",
  "mediaUpload",
  "searchPostsRecent",
] as const;
