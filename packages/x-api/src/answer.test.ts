import { failed, ok } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { heldClock } from "../test/doubles.ts";
import { loopback, recorded } from "../test/talking-client.ts";

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

  it("with null data is a failure", async () => {
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

  it("returns what X could deliver and what it could not", async () => {
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

  it("is an empty list with reasons if a look-up finds nothing", async () => {
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

  it("also takes limits from errors", async () => {
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

  it("is bytes if X sends a file", async () => {
    const { client } = await loopback((_, response) => response.end(Buffer.from([0, 255, 7])));
    const path = { dm_id: "1", media_id: "2", resource_id: "3" };
    expect(await client.call("dmConversationsMediaDownload", { path })).toMatchObject(
      ok({ data: new Uint8Array([0, 255, 7]) }),
    );
  });

  it("is the whole body if X wraps nothing", async () => {
    const { client } = recorded({ openapi: "3.0.0" });
    expect(await client.call("getOpenApiSpec")).toMatchObject(ok({ data: { openapi: "3.0.0" } }));
  });
});
