import { failed, ok } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { recorded } from "../test/talking-client.ts";
import { createXClient, retryReads, withCallDefaults, type XClientOptions } from "./client.ts";
import { notSent, type RequestJournal, type SendPermit, type WriteRequest } from "./journal.ts";

const post = { body: { text: "hi" } };

function recordingJournal(events: unknown[] = []): { journal: RequestJournal; events: unknown[] } {
  return {
    events,
    journal: {
      beforeSend: async ({ operation }) => {
        events.push(operation);
        return ok({ afterAnswer: async (result) => void events.push(result) });
      },
    },
  };
}

function answering(fetch: typeof globalThis.fetch, options: Partial<XClientOptions> = {}) {
  return createXClient({ tokens: fixedTokens({ user: "u", app: "a" }), fetch, ...options });
}

describe("a journal", () => {
  it("receives the operation and the request before it is sent, and the answer before the caller", async () => {
    const events: unknown[] = [];
    const client = answering(async () => {
      events.push("sent");
      return Response.json({ data: { id: "7" } }, { status: 201 });
    });
    const requests: WriteRequest[] = [];
    const journal: RequestJournal = {
      beforeSend: async (request) => {
        requests.push(request);
        events.push("before");
        return ok({ afterAnswer: async (result) => void events.push(result) });
      },
    };
    const answer = await client.call("createPosts", { ...post, journal });
    expect(answer).toMatchObject(ok({ data: { id: "7" } }));
    expect(events).toEqual([
      "before",
      "sent",
      { state: "confirmed", status: 201, text: '{"data":{"id":"7"}}' },
    ]);
    await client.call("unlikePost", { path: { id: "12", tweet_id: "34" }, journal });
    expect(requests).toEqual([
      {
        operation: "createPosts",
        method: "POST",
        path: {},
        target: "/2/tweets",
        body: { text: "hi" },
        bodyText: '{"text":"hi"}',
      },
      {
        operation: "unlikePost",
        method: "DELETE",
        path: { id: "12", tweet_id: "34" },
        target: "/2/users/12/likes/34",
      },
    ]);
  });

  it("does not record reads", async () => {
    const { journal, events } = recordingJournal();
    const { client } = recorded({ data: {} });
    expect(await client.call("getUsersMe", { journal })).toMatchObject({ ok: true });
    expect(events).toEqual([]);
  });

  it("records an upload without its bytes", async () => {
    const { client } = recorded(undefined);
    const requests: WriteRequest[] = [];
    await client.call("appendMediaUpload", {
      path: { id: "1" },
      body: { media: new Uint8Array([1]), segment_index: 0 },
      journal: {
        beforeSend: async (request) => {
          requests.push(request);
          return ok({});
        },
      },
    });
    expect(requests).toEqual([
      {
        operation: "appendMediaUpload",
        method: "POST",
        path: { id: "1" },
        target: "/2/media/upload/1/append",
      },
    ]);
  });

  it("stops a request with its own failure, distinct from X's", async () => {
    const { client, sent } = recorded({ data: { id: "7" } });
    const failure = notSent("taken_over", "Another call sends this.", { by: "call-2" });
    const answer = await client.call("createPosts", {
      ...post,
      journal: { beforeSend: async () => failed(failure) },
    });
    expect(answer).toEqual(
      failed({
        kind: "not_sent",
        reason: "taken_over",
        message: "Another call sends this.",
        details: { by: "call-2" },
      }),
    );
    expect(sent).toEqual([]);
  });

  it("returns a recorded answer without sending anything", async () => {
    const { client, sent } = recorded({ data: { id: "other" } });
    const permit: SendPermit = { recorded: { status: 201, text: '{"data":{"id":"7"}}' } };
    const journal: RequestJournal = { beforeSend: async () => ok(permit) };
    expect(await client.call("createPosts", { ...post, journal })).toMatchObject(
      ok({ data: { id: "7" }, status: 201 }),
    );
    expect(sent).toEqual([]);
  });

  it("records each attempt if X rejects the first token", async () => {
    const { journal, events } = recordingJournal();
    const client = answering(
      async (_, init) =>
        new Headers(init?.headers).get("authorization") === "Bearer u"
          ? new Response("{}", { status: 401 })
          : Response.json({ data: { id: "7" } }, { status: 201 }),
      { tokens: { ...fixedTokens({ user: "u" }), rejected: async () => ok("new") } },
    );
    expect(await client.call("createPosts", { ...post, journal })).toMatchObject({ ok: true });
    expect(events).toMatchObject([
      "createPosts",
      { state: "failed", status: 401 },
      "createPosts",
      { state: "confirmed", status: 201 },
    ]);
  });

  it.each([
    ["no connection", "ECONNREFUSED", "failed"],
    ["a connection that breaks", "ECONNRESET", "unknown"],
  ])("records %s", async (_, code, state) => {
    const { journal, events } = recordingJournal();
    const client = answering(async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
    });
    await client.call("createPosts", { ...post, journal });
    expect(events).toEqual(["createPosts", { state }]);
  });

  it("records a timeout, even if `fetch` never settles", async () => {
    const clock = heldClock();
    const { journal, events } = recordingJournal();
    const client = answering(
      () => {
        queueMicrotask(() => clock.advance(30_000));
        return new Promise(() => {});
      },
      { clock },
    );
    expect(await client.call("createPosts", { ...post, journal })).toMatchObject(
      failed({ kind: "network", cause: "timeout" }),
    );
    expect(events).toEqual(["createPosts", { state: "unknown" }]);
  });

  it("does not record a call aborted before sending, and closes one aborted later", async () => {
    const { client, sent } = recorded({ data: { id: "7" } });
    const before = recordingJournal();
    await client.call("createPosts", { ...post, journal: before.journal, signal: AbortSignal.abort() });
    expect(before.events).toEqual([]);

    const control = new AbortController();
    const results: unknown[] = [];
    const journal: RequestJournal = {
      beforeSend: async () => {
        control.abort();
        return ok({ afterAnswer: async (result) => void results.push(result) });
      },
    };
    expect(await client.call("createPosts", { ...post, journal, signal: control.signal })).toMatchObject(
      failed({ kind: "network", cause: "aborted", ambiguous: false }),
    );
    expect(results).toEqual([{ state: "failed" }]);
    expect(sent).toEqual([]);
  });

  it.each([
    [201, '{"data":{"id":"1"}}', "confirmed"],
    [200, '{"errors":[{"title":"Not Found Error"}]}', "failed"],
    [200, "<html>", "unknown"],
    [200, "{}", "unknown"],
    [400, "{}", "failed"],
    [401, "{}", "failed"],
    [403, "{}", "failed"],
    [408, "{}", "unknown"],
    [429, "{}", "failed"],
    [500, "{}", "unknown"],
    [501, "{}", "unknown"],
    [503, "<html>", "unknown"],
    [302, "", "unknown"],
  ])("takes an answer with %i and %s for what X means by it", async (status, text, state) => {
    const { journal, events } = recordingJournal();
    const client = answering(async () => new Response(text, { status }));
    await client.call("createPosts", { ...post, journal });
    expect(events.at(-1)).toMatchObject({ state, status });
  });
});

describe("a client that requires a journal", () => {
  it("rejects writes without one, and still reads", async () => {
    const { client, sent } = recorded({ data: { id: "7" } }, { requireJournal: true });
    expect(await client.call("createPosts", post)).toMatchObject(
      failed({ kind: "not_sent", reason: "no_journal" }),
    );
    expect(sent).toEqual([]);
    expect(await client.call("getUsersMe")).toMatchObject({ ok: true });
    const { journal } = recordingJournal();
    expect(await client.call("createPosts", { ...post, journal })).toMatchObject({ ok: true });
  });
});

describe("defaults of a client", () => {
  it("reach every call through wrappers, and yield to the call's own", async () => {
    const { client } = recorded({ data: { id: "7" } }, { requireJournal: true });
    const [whole, own] = [recordingJournal(), recordingJournal()];
    const bound = withCallDefaults(retryReads(client), { journal: whole.journal });
    expect(await bound.call("createPosts", post)).toMatchObject({ ok: true });
    expect(await bound.call("createPosts", { ...post, journal: own.journal })).toMatchObject({ ok: true });
    expect([whole.events.length, own.events.length]).toEqual([2, 2]);
  });
});
