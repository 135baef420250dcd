import { failed, ok } from "@toolpact/outcome";
import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import type { WriteRequest } from "./journal.ts";
import { createRawSender, type RawRequest } from "./raw-request.ts";

const request: RawRequest = {
  method: "GET",
  host: "ads-api.x.com",
  path: "/12/accounts",
  query: [],
  headers: [],
};
const tokens = {
  userToken: async () => ok("first"),
  appToken: async () => ok("app"),
  rejected: async () => ok("second"),
};

function recordingFetch(answer: () => Response = () => new Response("{}")) {
  const sent: Request[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    sent.push(new Request(input, init));
    return answer();
  };
  return { sent, fetch };
}

describe("a raw request", () => {
  it("reaches X's other hosts only without a custom base URL", async () => {
    const { sent, fetch } = recordingFetch();
    await createRawSender({ tokens, fetch })(request);
    await createRawSender({ tokens, fetch, baseUrl: "http://127.0.0.1:8080/" })(request);
    expect(sent.map(({ url }) => url)).toEqual([
      "https://ads-api.x.com/12/accounts",
      "http://127.0.0.1:8080/12/accounts",
    ]);
  });

  it("is retried once with another token if X rejects the first", async () => {
    const { sent, fetch } = recordingFetch(() => new Response("{}", { status: 401 }));
    expect(await createRawSender({ tokens, fetch })(request)).toMatchObject(failed({ kind: "auth_expired" }));
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer first",
      "Bearer second",
    ]);
  });

  it("uses the app's token if X accepts no other, and names a missing one", async () => {
    const { sent, fetch } = recordingFetch();
    const search: RawRequest = { ...request, host: "api.x.com", path: "/2/tweets/search/all" };
    await createRawSender({ tokens, fetch })(search);
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer app");
    const signedIn = createRawSender({ tokens: fixedTokens({ user: "u" }), fetch });
    expect(await signedIn(search)).toMatchObject(failed({ kind: "not_configured", tokens: ["app"] }));
  });

  it("can be signed instead, without a token", async () => {
    const { sent, fetch } = recordingFetch(() => new Response("{}", { status: 401 }));
    const sign = (method: string, url: string) => `OAuth ${method} ${url}`;
    const send = createRawSender({ tokens: fixedTokens({}), fetch, sign });
    expect(await send({ ...request, query: [{ key: "count", value: "2 0" }] })).toMatchObject(
      failed({ kind: "auth_expired" }),
    );
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([
      "OAuth GET https://ads-api.x.com/12/accounts?count=2+0",
    ]);
  });

  it("cannot replace the headers that the client sets", async () => {
    const { sent, fetch } = recordingFetch();
    const headers = ["Authorization", "User-Agent", "X-Own"].map((key) => ({ key, value: "mine" }));
    await createRawSender({ tokens, fetch, userAgent: "test" })({ ...request, headers });
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      authorization: "Bearer first",
      "user-agent": "test",
      "x-own": "mine",
    });
  });

  it.each(["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"])(
    "cannot change its method by %s",
    async (key) => {
      const { sent, fetch } = recordingFetch();
      const send = createRawSender({ tokens, fetch });
      expect(await send({ ...request, headers: [{ key, value: "DELETE" }] })).toMatchObject(
        failed({ kind: "invalid_request" }),
      );
      expect(sent).toEqual([]);
    },
  );

  it("follows no redirect with the token", async () => {
    const { sent, fetch } = recordingFetch(
      () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
    );
    expect(await createRawSender({ tokens, fetch })(request)).toMatchObject(
      failed({ kind: "other", status: 302 }),
    );
    expect(sent.map(({ redirect }) => redirect)).toEqual(["manual"]);
  });

  it("reports if it was not sent or may have arrived", async () => {
    const throwing = (code: string) =>
      createRawSender({
        tokens,
        fetch: async () => {
          throw new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
        },
      });
    expect(await throwing("ECONNREFUSED")(request)).toMatchObject(
      failed({ cause: "unreachable", ambiguous: false }),
    );
    expect(await throwing("ECONNRESET")(request)).toMatchObject(
      failed({ cause: "interrupted", ambiguous: true }),
    );
  });

  it("ends at its timeout, or when the caller aborts", async () => {
    const clock = heldClock();
    const control = new AbortController();
    const hanging = (onSent: () => void) =>
      createRawSender({
        tokens,
        clock,
        fetch: () => {
          queueMicrotask(onSent);
          return new Promise(() => {});
        },
      });
    expect(await hanging(() => clock.advance(30_000))(request)).toMatchObject(failed({ cause: "timeout" }));
    expect(await hanging(() => control.abort())(request, { signal: control.signal })).toMatchObject(
      failed({ cause: "aborted" }),
    );
  });

  it("is recorded with its operation, if there is one", async () => {
    const { sent, fetch } = recordingFetch(() => Response.json({ data: { id: "7" } }));
    const send = createRawSender({ tokens, fetch, requireJournal: true });
    const results: unknown[] = [];
    const requests: WriteRequest[] = [];
    const journal = {
      beforeSend: async (write: WriteRequest) => {
        requests.push(write);
        return ok({ afterAnswer: async (result: unknown) => void results.push(result) });
      },
    };
    const like: RawRequest = {
      ...request,
      method: "POST",
      host: "api.x.com",
      path: "/2/users/12/likes",
      body: '{ "tweet_id": "34" }',
    };
    expect(await send(like)).toMatchObject(failed({ kind: "not_sent", reason: "no_journal" }));
    await send(like, { journal });
    await send({ ...request, method: "DELETE", query: [{ key: "a", value: "b" }] }, { journal });
    expect(requests).toEqual([
      {
        operation: "likePost",
        method: "POST",
        path: { id: "12" },
        target: "/2/users/12/likes",
        body: { tweet_id: "34" },
        bodyText: '{ "tweet_id": "34" }',
      },
      { operation: undefined, method: "DELETE", path: {}, target: "/12/accounts?a=b" },
    ]);
    expect(results).toHaveLength(2);
    expect(sent).toHaveLength(2);
  });

  it("has an unknown outcome after a success that is not JSON", async () => {
    const results: unknown[] = [];
    const journal = {
      beforeSend: async () => ok({ afterAnswer: async (result: unknown) => void results.push(result) }),
    };
    for (const body of ["", "<html>", '{"errors":[{}]}', '{"data":{}}']) {
      const { fetch } = recordingFetch(() => new Response(body));
      await createRawSender({ tokens, fetch })({ ...request, method: "DELETE" }, { journal });
    }
    expect(results).toMatchObject([
      { state: "confirmed" },
      { state: "unknown" },
      { state: "failed" },
      { state: "confirmed" },
    ]);
  });
});
