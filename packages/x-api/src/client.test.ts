import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { failed, ok } from "@toolpact/contract/outcome";
import { afterEach, describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { createXClient, type XClientOptions } from "./client.ts";
import { mayHaveTakenEffect, type ProviderError } from "./errors.ts";
import { type Operation, type OperationId, operations } from "./operations/index.ts";
import type { TokenSource } from "./tokens.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** An HTTP server on loopback, and a client that talks to it. */
async function loopback(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<XClientOptions> = {},
) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  // A server that listens on a port has an address of this kind.
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    client: createXClient({ baseUrl, tokens: fixedTokens({ user: "u", app: "a" }), ...options }),
  };
}

/** A client whose requests are kept and answered with one body. */
function recorded(body: unknown, options: Partial<XClientOptions> = {}, init?: ResponseInit) {
  const sent: Request[] = [];
  const client = createXClient({
    tokens: fixedTokens({ user: "u", app: "a" }),
    fetch: async (input, request) => {
      sent.push(new Request(input, request));
      return body === undefined ? new Response(null, { status: 204 }) : Response.json(body, init);
    },
    ...options,
  });
  return { client, sent };
}

const readBody = async (request: IncomingMessage) => Buffer.concat(await request.toArray());

describe("a request", () => {
  it("goes where X wants it, as X spells it", async () => {
    const { client, sent } = recorded({ data: [] });
    await client.call("getUsersPosts", {
      path: { id: "12" },
      query: {
        max_results: 10,
        "tweet.fields": ["created_at", "author_id"],
        start_time: undefined,
        exclude: "replies",
      },
    });
    expect(sent[0]?.method).toBe("GET");
    expect(sent[0]?.url).toBe(
      "https://api.x.com/2/users/12/tweets?max_results=10&tweet.fields=created_at%2Cauthor_id&exclude=replies",
    );
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer u");
  });

  it("carries the body untouched", async () => {
    const { client, baseUrl } = await loopback(async (request, response) => {
      const body = {
        method: request.method,
        type: request.headers["content-type"],
        text: String(await readBody(request)),
      };
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ data: body }));
    });
    const post = { text: "hello", reply: { in_reply_to_tweet_id: "1" }, made_with_ai: true };
    expect(baseUrl).toContain("127.0.0.1");
    expect(await client.call("createPosts", { body: post })).toMatchObject(
      ok({ status: 201, data: { method: "POST", type: "application/json", text: JSON.stringify(post) } }),
    );
  });

  it("goes as multipart when there are bytes in it, to the upload host if there is one", async () => {
    const { client, sent } = recorded({ data: { id: "1" } }, { uploadUrl: "http://uploads.example/x/" });
    const bytes = new Uint8Array([1, 2, 3]);
    await client.call("appendMediaUpload", { path: { id: "7" }, body: { media: bytes, segment_index: 2 } });
    expect(sent[0]?.url).toBe("http://uploads.example/x/2/media/upload/7/append");
    const form = await sent[0]?.formData();
    expect(form?.get("segment_index")).toBe("2");
    const media = form?.get("media");
    expect(media instanceof Blob && new Uint8Array(await media.arrayBuffer())).toEqual(bytes);
  });

  it("goes as JSON when the media is text", async () => {
    const { client, sent } = recorded({ data: { id: "1" } });
    await client.call("mediaUpload", { body: { media: "AQID", media_category: "tweet_image" } });
    expect(sent[0]?.headers.get("content-type")).toBe("application/json");
  });

  it("keeps the path of a base URL and follows no redirect", async () => {
    const { client, sent } = recorded({}, { baseUrl: "http://proxy.example/x/" }, { status: 302 });
    expect(await client.call("getUsersMe")).toMatchObject(failed({ kind: "other", status: 302 }));
    expect(sent[0]?.url).toBe("http://proxy.example/x/2/users/me");
    expect(sent[0]?.redirect).toBe("manual");
  });
});

describe("arguments", () => {
  it.each<[string, OperationId, object, string]>([
    ["an unknown query parameter", "getPostsById", { path: { id: "1" }, query: { fields: "x" } }, "fields"],
    ["an unknown path parameter", "getPostsById", { path: { id: "1", no: "1" } }, "no"],
    ["a missing path parameter", "getPostsById", {}, "id"],
    ["a missing query parameter", "searchPostsRecent", {}, "query"],
    ["an id that is not one", "getPostsById", { path: { id: "../users/me" } }, "id"],
    [
      "a path that climbs",
      "createDirectMessagesByConversationId",
      { path: { dm_conversation_id: ".." } },
      "dm_conversation_id",
    ],
    ["an empty path", "getListsById", { path: { id: "" } }, "id"],
    ["an id as a number", "getPostsById", { path: { id: 12 } }, "id"],
    ["too small a number", "searchPostsRecent", { query: { query: "a", max_results: 9 } }, "max_results"],
    ["too large a number", "searchPostsRecent", { query: { query: "a", max_results: 101 } }, "max_results"],
    ["half a number", "searchPostsRecent", { query: { query: "a", max_results: 10.5 } }, "max_results"],
    ["no number", "searchPostsRecent", { query: { query: "a", max_results: "ten" } }, "max_results"],
    ["an empty text", "searchPostsRecent", { query: { query: "" } }, "query"],
    ["half a character", "searchPostsRecent", { query: { query: "a\ud83d" } }, "query"],
    [
      "half a character in the path",
      "createDirectMessagesByConversationId",
      { path: { dm_conversation_id: "\ud83d" }, body: { text: "hi" } },
      "dm_conversation_id",
    ],
    [
      "a value X does not list",
      "searchPostsRecent",
      { query: { query: "a", sort_order: "best" } },
      "sort_order",
    ],
    [
      "a field X does not list",
      "getPostsById",
      { path: { id: "1" }, query: { "post.fields": "nope" } },
      "post.fields",
    ],
    [
      "a repeated field",
      "getPostsById",
      { path: { id: "1" }, query: { "post.fields": ["id", "id"] } },
      "post.fields",
    ],
    ["too many ids", "getPostsByIds", { query: { ids: Array(101).fill("1") } }, "ids"],
    [
      "a time that is not one",
      "searchPostsRecent",
      { query: { query: "a", start_time: "today" } },
      "start_time",
    ],
    ["an unknown body field", "createPosts", { body: { txt: "hi" } }, "txt"],
    ["an unknown inner field", "createPosts", { body: { reply: { to: "1" } } }, "reply.to"],
    ["a missing inner field", "createPosts", { body: { reply: {} } }, "reply.in_reply_to_tweet_id"],
    [
      "too many inner entries",
      "createPosts",
      { body: { media: { media_ids: ["1", "2", "3", "4", "5"] } } },
      "media.media_ids",
    ],
    [
      "a wrong inner entry",
      "createPosts",
      { body: { media: { media_ids: ["1", "x"] } } },
      "media.media_ids[1]",
    ],
    ["text in place of a boolean", "createPosts", { body: { nullcast: "true" } }, "nullcast"],
    ["text in place of an object", "createPosts", { body: { reply: "1" } }, "reply"],
    ["a missing body", "likePost", { path: { id: "1" } }, "tweet_id"],
    [
      "neither text nor attachment",
      "createDirectMessagesByParticipantId",
      { path: { participant_id: "1" }, body: {} },
      "text",
    ],
    ["a body where there is none", "getUsersMe", { body: {} }, "body"],
    ["no bytes", "appendMediaUpload", { path: { id: "1" }, body: { media: 5, segment_index: 0 } }, "media"],
  ])("with %s are refused before anything is sent", async (_, id, args, parameter) => {
    const { client, sent } = recorded({});
    const answer = await client.call(id, args);
    expect(answer).toMatchObject(failed({ kind: "invalid_request", parameters: [parameter] }));
    expect(!answer.ok && answer.failure.message).toContain(parameter);
    expect(sent).toEqual([]);
  });

  it("are never quoted in a refusal", async () => {
    const { client } = recorded({});
    const answer = await client.call("searchPostsRecent", { query: { query: "a", sort_order: "my-secret" } });
    expect(JSON.stringify(answer)).not.toContain("my-secret");
  });

  it("may be text where they come from a command line", async () => {
    const { client, sent } = recorded({ data: [] });
    const query = { query: "a", max_results: "20", expansions: "author_id,referenced_tweets.id" };
    expect(await client.call("searchPostsRecent", { query })).toMatchObject({ ok: true });
    expect(new URL(sent[0]?.url ?? "").searchParams.get("expansions")).toBe("author_id,referenced_tweets.id");
  });

  it("of a stream are refused, since a stream has no end", async () => {
    const { client, sent } = recorded({});
    expect(await client.call("streamPosts")).toMatchObject(failed({ kind: "invalid_request" }));
    expect(sent).toEqual([]);
  });
});

describe("the token", () => {
  it("is the user's for own data and writes, the app's where X takes no other, none where X wants none", async () => {
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

  it("is missed before anything is sent", async () => {
    const { client, sent } = recorded({}, { tokens: fixedTokens({ app: "a" }) });
    expect(await client.call("createPosts", { body: { text: "hi" } })).toMatchObject(
      failed({ kind: "auth_expired" }),
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

  it("is renewed once after a 401, also for a write, since X did not carry it out", async () => {
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

  it("is in no answer and no failure", async () => {
    const { client } = recorded({}, { tokens: fixedTokens({ user: "tkn-4f9a" }) }, { status: 401 });
    expect(JSON.stringify(await client.call("getUsersMe"))).not.toContain("tkn-4f9a");
  });

  it.each(["tkn-4f9a\nx", "tkn-4f9aж"])("that no header can carry (%j) is told, not sent", async (token) => {
    const { client, sent } = recorded({}, { tokens: fixedTokens({ user: token }) });
    const answer = await client.call("createPosts", { body: { text: "hi" } });
    expect(answer).toMatchObject(failed({ kind: "auth_expired" }));
    expect(JSON.stringify(answer)).not.toContain("tkn-4f9a");
    expect(sent).toEqual([]);
  });
});

describe("an answer", () => {
  it("is complete though X left out what is empty", async () => {
    const { client } = recorded({ meta: { result_count: 0 } });
    expect(await client.call("searchPostsRecent", { query: { query: "a" } })).toEqual(
      ok({
        data: [],
        includes: {},
        meta: { result_count: 0 },
        errors: [],
        status: 200,
        requestId: undefined,
        rateWindows: [],
        pagination: { result_count: 0, has_more: false },
        retries: 0,
      }),
    );
  });

  it("may have no body at all", async () => {
    const { client } = recorded(undefined);
    const args = { path: { id: "1" }, body: { media: "AQID", segment_index: 0 } };
    expect(await client.call("appendMediaUpload", args)).toMatchObject(ok({ data: null, status: 204 }));
  });

  it("may have an empty body where X takes a part of a file", async () => {
    const { client } = await loopback((_, response) => response.end());
    const args = { path: { id: "1" }, body: { media: "AQID", segment_index: 0 } };
    expect(await client.call("appendMediaUpload", args)).toMatchObject(ok({ data: null, status: 200 }));
  });

  it("is the failure it speaks of when it has null for data", async () => {
    const type = "https://api.x.com/2/problems/resource-not-found";
    const { client } = recorded({ data: null, errors: [{ type }] });
    expect(await client.call("getPostsById", { path: { id: "1" } })).toMatchObject(
      failed({ kind: "not_found" }),
    );
  });

  it("has lists only in its includes", async () => {
    const { client } = recorded({ data: [], includes: { users: null, tweets: [{ id: "1" }], media: {} } });
    const answer = await client.call("searchPostsRecent", { query: { query: "a" } });
    expect(answer.ok && answer.value.includes).toEqual({ tweets: [{ id: "1" }] });
  });

  it("brings what X could deliver, beside what it could not", async () => {
    const missing = { resource_id: "456", resource_type: "tweet", title: "Not Found Error" };
    const { client } = recorded({ data: [{ id: "123" }], errors: [missing] });
    expect(await client.call("getPostsByIds", { query: { ids: ["123", "456"] } })).toMatchObject(
      ok({ data: [{ id: "123" }], errors: [missing] }),
    );
  });

  it("is an empty list, not a failure, when a search leaves everything out", async () => {
    const { client } = recorded({ meta: { result_count: 0 }, errors: [{ title: "Authorization Error" }] });
    expect(await client.call("searchPostsRecent", { query: { query: "a" } })).toMatchObject(
      ok({ data: [], errors: [{ title: "Authorization Error" }] }),
    );
  });

  it("is an empty list with the reasons when a look-up finds nothing of what was asked for", async () => {
    const errors = ["not-found", "suspended"].map((title, i) => ({
      title,
      resource_id: String(i),
      type: "https://api.x.com/2/problems/resource-not-found",
    }));
    const { client } = recorded({ errors });
    expect(await client.call("getPostsByIds", { query: { ids: ["0", "1"] } })).toMatchObject(
      ok({ data: [], errors }),
    );
    expect(await client.call("getUsersPosts", { path: { id: "1" } })).toMatchObject(
      failed({ kind: "not_found" }),
    );
    const broken = recorded({ errors: [{ type: "https://api.x.com/2/problems/internal-error" }] });
    expect(await broken.client.call("getPostsByIds", { query: { ids: ["0"] } })).toMatchObject(
      failed({ kind: "server_error" }),
    );
  });

  it("keeps X's request id and its limits", async () => {
    const clock = heldClock();
    const headers = {
      "x-transaction-id": "9f",
      "x-rate-limit-limit": "75",
      "x-rate-limit-remaining": "74",
      "x-rate-limit-reset": String(clock.now() / 1000 + 900),
    };
    const { client } = recorded({ data: { id: "1" } }, { clock }, { headers });
    const window = {
      operation: "getUsersMe",
      scope: "user",
      seconds: 900,
      limit: 75,
      remaining: 74,
      resetAt: clock.now() + 900_000,
    };
    expect(await client.call("getUsersMe")).toMatchObject(ok({ requestId: "9f", rateWindows: [window] }));
    expect(client.rateWindows("getUsersMe")).toEqual([window]);
    clock.advance(900_000);
    expect(client.rateWindows()).toEqual([]);
  });

  it("learns limits from refusals too", async () => {
    const clock = heldClock();
    const reset = String(clock.now() / 1000 + 60);
    const headers = {
      "x-rate-limit-limit": "75",
      "x-rate-limit-remaining": "0",
      "x-rate-limit-reset": reset,
    };
    const { client } = recorded({}, { clock }, { status: 429, headers });
    expect(await client.call("getUsersMe")).toMatchObject(
      failed({ kind: "rate_limited", retryAfterMs: 60_000 }),
    );
    expect(client.rateWindows("getUsersMe")).toMatchObject([{ remaining: 0 }]);
  });

  it("is bytes where X sends a file", async () => {
    const { client } = await loopback((_, response) => response.end(Buffer.from([0, 255, 7])));
    const path = { dm_id: "1", media_id: "2", resource_id: "3" };
    expect(await client.call("dmConversationsMediaDownload", { path })).toMatchObject(
      ok({ data: new Uint8Array([0, 255, 7]) }),
    );
  });

  it("is the whole body where X wraps nothing", async () => {
    const { client } = recorded({ openapi: "3.0.0" });
    expect(await client.call("getOpenApiSpec")).toMatchObject(ok({ data: { openapi: "3.0.0" } }));
  });
});

describe("without an answer", () => {
  const post = { body: { text: "hi" } };

  it("the failure says that nothing was sent when nobody listens", async () => {
    const { client, baseUrl } = await loopback(() => {});
    for (const server of open.splice(0)) server.close();
    expect(baseUrl).toBeTruthy();
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "unreachable", ambiguous: false }),
    );
  });

  it("the failure is ambiguous when the connection breaks before the headers", async () => {
    const { client } = await loopback((request) => request.socket.destroy());
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "interrupted", ambiguous: true }),
    );
  });

  it("the failure is ambiguous when the connection breaks in the middle of the body", async () => {
    const { client } = await loopback((request, response) => {
      response.writeHead(201, { "content-length": "100" });
      response.write('{"data":', () => request.socket.destroy());
    });
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "interrupted", ambiguous: true }),
    );
  });

  it("the failure is ambiguous when a success cannot be read", async () => {
    const { client } = await loopback((_, response) => response.end("<html>ok</html>"));
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "unreadable", ambiguous: true }),
    );
  });

  it.each([
    ["no post", {}],
    ["null for a post", { data: null }],
    ["errors in plain words", { errors: ["internal server error"] }],
  ])("the failure is ambiguous when a success has %s in it", async (_, body) => {
    const { client } = recorded(body, {}, { status: 201 });
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "unreadable", ambiguous: true }),
    );
  });

  it("the failure is ambiguous when a success has no body", async () => {
    const { client } = await loopback((_, response) => response.end());
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "unreadable", ambiguous: true }),
    );
  });

  it("a list is not taken for read when something else is in its place", async () => {
    const { client } = recorded({ data: {} });
    expect(await client.call("getPostsByIds", { query: { ids: ["1"] } })).toMatchObject(
      failed({ kind: "network", cause: "unreadable" }),
    );
  });

  it("a list is not taken for empty when there are only errors in plain words", async () => {
    const { client } = recorded({ errors: ["internal server error"] });
    expect(await client.call("getPostsByIds", { query: { ids: ["1"] } })).toMatchObject(
      failed({ kind: "network", cause: "unreadable" }),
    );
  });

  it("time runs out for headers that do not come", async () => {
    const clock = heldClock();
    const { client } = await loopback(() => clock.advance(30_000), { clock });
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "timeout", ambiguous: true }),
    );
  });

  it("time runs out later for a request that carries a file", async () => {
    const clock = heldClock();
    let advanced = 0;
    const { client } = await loopback(
      (request, response) => {
        clock.advance(30_000);
        advanced += 1;
        request.resume().on("end", () => response.end());
      },
      { clock },
    );
    const args = { path: { id: "1" }, body: { media: new Uint8Array([1]), segment_index: 0 } };
    expect(await client.call("appendMediaUpload", args)).toMatchObject({ ok: true });
    expect(advanced).toBe(1);
    const stalled = await loopback(() => clock.advance(300_000), { clock });
    expect(await stalled.client.call("appendMediaUpload", args)).toMatchObject(
      failed({ kind: "network", cause: "timeout" }),
    );
  });

  it("time runs out for a body that stalls", async () => {
    const clock = heldClock();
    const { client } = await loopback(
      (_, response) => {
        response.writeHead(200).write('{"data":', () => clock.advance(500));
      },
      { clock, timeoutMs: 500 },
    );
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "timeout" }),
    );
  });

  it("time runs out even if `fetch` never looks at the signal", async () => {
    const clock = heldClock();
    const client = createXClient({
      tokens: fixedTokens({ user: "u" }),
      clock,
      fetch: () => {
        queueMicrotask(() => clock.advance(30_000));
        return new Promise(() => {});
      },
    });
    expect(await client.call("getUsersMe")).toMatchObject(failed({ kind: "network", cause: "timeout" }));
  });

  it("the caller can give up, before and during", async () => {
    const gone = new AbortController();
    let requests = 0;
    const { client } = await loopback(() => {
      requests += 1;
      gone.abort();
    });
    expect(await client.call("createPosts", { ...post, signal: gone.signal })).toMatchObject(
      failed({ kind: "network", cause: "aborted", ambiguous: true }),
    );
    expect(await client.call("createPosts", { ...post, signal: gone.signal })).toMatchObject(
      failed({ kind: "network", cause: "aborted", ambiguous: false }),
    );
    expect(requests).toBe(1);
  });

  it("a base URL that is none is refused at once", () => {
    expect(() => createXClient({ baseUrl: "api.x.com", tokens: fixedTokens({}) })).toThrow("not a URL");
  });
});
