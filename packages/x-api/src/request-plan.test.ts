import { failed, ok } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { fixedTokens } from "../test/doubles.ts";
import { loopback, recorded } from "../test/talking-client.ts";
import { createXClient } from "./client.ts";
import type { OperationId } from "./operations/index.ts";

describe("a request", () => {
  it("has X's host, path and spelling", async () => {
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
    const { client } = await loopback(async (request, response) => {
      const body = {
        id: "1",
        method: request.method,
        type: request.headers["content-type"],
        text: Buffer.concat(await request.toArray()).toString(),
      };
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ data: body }));
    });
    const post = { text: "hello", reply: { in_reply_to_tweet_id: "1" }, made_with_ai: true };
    expect(await client.call("createPosts", { body: post })).toMatchObject(
      ok({ status: 201, data: { method: "POST", type: "application/json", text: JSON.stringify(post) } }),
    );
  });

  it("is multipart if it has bytes, to the upload host if there is one", async () => {
    const { client, sent } = recorded({ data: { id: "1" } }, { uploadUrl: "http://uploads.example/x/" });
    const bytes = new Uint8Array([1, 2, 3]);
    await client.call("appendMediaUpload", { path: { id: "7" }, body: { media: bytes, segment_index: 2 } });
    expect(sent[0]?.url).toBe("http://uploads.example/x/2/media/upload/7/append");
    const form = await sent[0]?.formData();
    expect(form?.get("segment_index")).toBe("2");
    const media = form?.get("media");
    expect(media instanceof Blob && new Uint8Array(await media.arrayBuffer())).toEqual(bytes);
  });

  it("is JSON if the media is text", async () => {
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

  it("an invalid base URL is rejected immediately", () => {
    expect(() => createXClient({ baseUrl: "api.x.com", tokens: fixedTokens({}) })).toThrow("not a URL");
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

  it("are not quoted in errors", async () => {
    const { client } = recorded({});
    const answer = await client.call("searchPostsRecent", { query: { query: "a", sort_order: "my-secret" } });
    expect(JSON.stringify(answer)).not.toContain("my-secret");
  });

  it("may be text from a command line", async () => {
    const { client, sent } = recorded({ data: [] });
    const query = { query: "a", max_results: "20", expansions: "author_id,referenced_tweets.id" };
    expect(await client.call("searchPostsRecent", { query })).toMatchObject({ ok: true });
    expect(new URL(sent[0]?.url ?? "").searchParams.get("expansions")).toBe("author_id,referenced_tweets.id");
  });

  it("of a stream are rejected, since a stream has no end", async () => {
    const { client, sent } = recorded({});
    expect(await client.call("streamPosts")).toMatchObject(failed({ kind: "invalid_request" }));
    expect(sent).toEqual([]);
  });
});
