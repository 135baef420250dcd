import { failed } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { loopback, recorded } from "../test/talking-client.ts";
import { createXClient } from "./client.ts";

describe("without an answer", () => {
  const post = { body: { text: "hi" } };

  it("a refused connection means that nothing was sent", async () => {
    const { client, close } = await loopback(() => {});
    close();
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

  it("another value in place of a list is an error", async () => {
    const { client } = recorded({ data: {} });
    expect(await client.call("getPostsByIds", { query: { ids: ["1"] } })).toMatchObject(
      failed({ kind: "network", cause: "unreadable" }),
    );
  });

  it("a list with only plain-text errors is not empty", async () => {
    const { client } = recorded({ errors: ["internal server error"] });
    expect(await client.call("getPostsByIds", { query: { ids: ["1"] } })).toMatchObject(
      failed({ kind: "network", cause: "unreadable" }),
    );
  });

  it("missing headers time out", async () => {
    const clock = heldClock();
    const { client } = await loopback(() => clock.advance(30_000), { clock });
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "network", cause: "timeout", ambiguous: true }),
    );
  });

  it("a request with a file times out later", async () => {
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

  it("a stalled body times out", async () => {
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

  it("times out even if `fetch` ignores the signal", async () => {
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

  it("the caller can abort, before and during the request", async () => {
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
});
