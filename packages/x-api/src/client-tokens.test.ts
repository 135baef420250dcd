import { failed, ok } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { fixedTokens } from "../test/doubles.ts";
import { recorded } from "../test/talking-client.ts";
import { createXClient } from "./client.ts";
import { mayHaveTakenEffect, type ProviderError } from "./errors.ts";
import { type Operation, operations } from "./operations/index.ts";
import type { TokenSource } from "./tokens.ts";

describe("the token", () => {
  it("is the user's for own data and writes, the app's if X accepts no other, none if X needs none", async () => {
    const { client, sent } = recorded({ data: [] });
    await client.call("getUsersMe");
    await client.call("getPostsById", { path: { id: "1" } });
    await client.call("likePost", { path: { id: "1" }, body: { tweet_id: "2" } });
    await client.call("searchPostsAll", { query: { query: "a" } });
    await client.call("getUsage");
    await client.call("getOpenApiSpec");
    expect(sent.map((request) => request.headers.get("authorization"))).toEqual([
      "Bearer u",
      "Bearer u",
      "Bearer u",
      "Bearer a",
      "Bearer a",
      null,
    ]);
  });

  it("is the app's for public data when nobody is signed in, or when asked for", async () => {
    const appOnly = recorded({ data: {} }, { tokens: fixedTokens({ app: "a" }) });
    await appOnly.client.call("getPostsById", { path: { id: "1" } });
    expect(appOnly.sent[0]?.headers.get("authorization")).toBe("Bearer a");
    const both = recorded({ data: {} });
    await both.client.call("getPostsById", { path: { id: "1" }, as: "app" });
    expect(both.sent[0]?.headers.get("authorization")).toBe("Bearer a");
    expect(await both.client.call("getUsersMe", { as: "app" })).toMatchObject(
      failed({ kind: "invalid_request" }),
    );
  });

  it("of the right kind must be configured before anything is sent", async () => {
    const { client, sent } = recorded({}, { tokens: fixedTokens({ app: "a" }) });
    expect(await client.call("createPosts", { body: { text: "hi" } })).toMatchObject(
      failed({ kind: "not_configured", tokens: ["user"] }),
    );
    expect(await client.call("getPostsById", { path: { id: "1" }, as: "user" })).toMatchObject(
      failed({ kind: "not_configured", tokens: ["user"] }),
    );
    expect(sent).toEqual([]);
  });

  it("suits what X accepts, for every operation", () => {
    const kinds = (op: Operation) => op.auth.map((auth) => auth.scheme);
    const unusable = Object.values(operations).filter(
      (op) => kinds(op).length > 0 && !kinds(op).includes("oauth2") && !kinds(op).includes("bearer"),
    );
    expect(unusable).toEqual([]);
  });

  function renewing(renewed: Awaited<ReturnType<TokenSource["rejected"]>>) {
    const asked: string[] = [];
    const tokens: TokenSource = {
      ...fixedTokens({ user: "old" }),
      rejected: async (token, kind) => {
        asked.push(`${kind} ${token}`);
        return renewed;
      },
    };
    const bodies: string[] = [];
    const client = createXClient({
      tokens,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        bodies.push(`${request.headers.get("authorization")} ${await request.text()}`);
        const isOld = request.headers.get("authorization") === "Bearer old";
        return isOld
          ? new Response("{}", { status: 401 })
          : Response.json({ data: { id: "1" } }, { status: 201 });
      },
    });
    return { client, asked, bodies };
  }

  it("is renewed once after a 401, also for a write, since X did not execute it", async () => {
    const { client, asked, bodies } = renewing(ok("new"));
    expect(await client.call("createPosts", { body: { text: "hi" } })).toMatchObject(
      ok({ data: { id: "1" } }),
    );
    expect(asked).toEqual(["user old"]);
    expect(bodies).toEqual(['Bearer old {"text":"hi"}', 'Bearer new {"text":"hi"}']);
  });

  it.each([
    ["the same token", ok("old")],
    ["no token", failed("none" as const)],
    ["a failure", failed({ kind: "auth_expired" as const, message: "Sign in again." })],
  ])("is not tried twice when the source gives %s", async (_, renewed) => {
    const { client, bodies } = renewing(renewed);
    expect(await client.call("createPosts", { body: { text: "hi" } })).toMatchObject(
      failed({ kind: "auth_expired" }),
    );
    expect(bodies).toHaveLength(1);
  });

  it.each<ProviderError>([
    { kind: "server_error", status: 503, message: "" },
    { kind: "network", cause: "interrupted", ambiguous: true, message: "" },
  ])("that cannot be had ($kind) leaves no doubt that the write was not sent", async (failure) => {
    const unavailable = { ...fixedTokens({}), userToken: async () => failed(failure) };
    const { client, sent } = recorded({}, { tokens: unavailable });
    const missed = await client.call("createPosts", { body: { text: "hi" } });
    expect(sent).toEqual([]);
    const refused = await renewing(failed(failure)).client.call("createPosts", { body: { text: "hi" } });
    for (const answer of [missed, refused]) {
      expect(answer).toMatchObject(failed({ kind: failure.kind }));
      expect(!answer.ok && mayHaveTakenEffect(answer.failure)).toBe(false);
    }
  });

  it("does not appear in answers or failures", async () => {
    const { client } = recorded({}, { tokens: fixedTokens({ user: "tkn-4f9a" }) }, { status: 401 });
    expect(JSON.stringify(await client.call("getUsersMe"))).not.toContain("tkn-4f9a");
  });

  it.each(["tkn-4f9a\nx", "tkn-4f9aж"])(
    "that no header can carry (%j) is reported, not sent",
    async (token) => {
      const { client, sent } = recorded({}, { tokens: fixedTokens({ user: token }) });
      const answer = await client.call("createPosts", { body: { text: "hi" } });
      expect(answer).toMatchObject(failed({ kind: "auth_expired" }));
      expect(JSON.stringify(answer)).not.toContain("tkn-4f9a");
      expect(sent).toEqual([]);
    },
  );
});
