import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedTokens, heldClock } from "../test/doubles.ts";
import { createXClient } from "./client.ts";
import { operations } from "./operations/index.ts";
import { readAllPages, readPages } from "./pages.ts";

interface World {
  readonly items: number;
  readonly pageSize: number;
  /** Counted from 0. */
  readonly failsAt?: number;
  /** Included in every page. */
  readonly author?: string;
}

/** Tokens are offsets. */
function pagedX({ items, pageSize, failsAt, author }: World) {
  const asked: URL[] = [];
  const client = createXClient({
    tokens: fixedTokens({ user: "u" }),
    clock: heldClock(),
    fetch: async (input) => {
      const url = new URL(String(input));
      const page = asked.push(url) - 1;
      if (page === failsAt) return new Response("{}", { status: 503 });
      const from = Number(
        url.searchParams.get("pagination_token") ?? url.searchParams.get("next_token") ?? 0,
      );
      const data = Array.from({ length: Math.max(0, Math.min(pageSize, items - from)) }, (_, i) => ({
        id: String(from + i),
      }));
      const next = from + pageSize < items ? { next_token: String(from + pageSize) } : {};
      const meta = { result_count: data.length, ...next };
      const includes = author === undefined ? {} : { includes: { users: [{ id: author }] } };
      return Response.json(data.length > 0 ? { data, meta, ...includes } : { meta });
    },
  });
  return { client, asked };
}

const timeline = { path: { id: "12" }, query: { max_results: 10 } };
const world = fc.record({
  items: fc.integer({ min: 0, max: 60 }),
  pageSize: fc.integer({ min: 1, max: 10 }),
});

describe("pagination", () => {
  it("is in the answer of every paged operation, which returns a list", () => {
    const paged = Object.values(operations).filter((op) => op.paging);
    expect(paged).toHaveLength(44);
    expect(paged.filter((op) => op.answer.data !== "list")).toEqual([]);
  });

  it("has the same three members even if X omits some", async () => {
    const empty = await pagedX({ items: 0, pageSize: 5 }).client.call("getUsersPosts", timeline);
    expect(empty).toMatchObject({ value: { data: [], pagination: { result_count: 0, has_more: false } } });
    const some = await pagedX({ items: 9, pageSize: 5 }).client.call("getUsersPosts", timeline);
    expect(some).toMatchObject({
      value: { pagination: { result_count: 5, has_more: true, next_token: "5" } },
    });
    const one = await pagedX({ items: 9, pageSize: 5 }).client.call("getUsersMe");
    expect(one).toMatchObject({ value: { pagination: undefined } });
  });
});

describe("reading all pages", () => {
  it("gives every item once, in order, and stops at the end", async () => {
    await fc.assert(
      fc.asyncProperty(world, async (x) => {
        const { client, asked } = pagedX(x);
        const all = await readAllPages<{ id: string }>(client, "getUsersPosts", timeline, { maxPages: 100 });
        expect(all.items.map((item) => Number(item.id))).toEqual(
          Array.from({ length: x.items }, (_, i) => i),
        );
        expect(all).toMatchObject({ stopped: "end", pages: asked.length });
        expect(all.next_token).toBeUndefined();
      }),
    );
  });

  it("keeps what it has when a page fails, with the failure and the next token", async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.integer({ min: 0, max: 10 }), async (x, failsAt) => {
        const { client } = pagedX({ ...x, failsAt });
        const all = await readAllPages(client, "getUsersPosts", timeline, { maxPages: 100 });
        const whole = Math.max(1, Math.ceil(x.items / x.pageSize));
        fc.pre(failsAt < whole);
        expect(all.items).toHaveLength(failsAt * x.pageSize);
        expect(all).toMatchObject({ stopped: "failed", pages: failsAt, failure: { kind: "server_error" } });
        expect(all.next_token).toBe(failsAt === 0 ? undefined : String(failsAt * x.pageSize));

        const rest = pagedX(x).client;
        const query = { ...timeline.query, ...(all.next_token && { pagination_token: all.next_token }) };
        const more = await readAllPages(rest, "getUsersPosts", { ...timeline, query }, { maxPages: 100 });
        expect(all.items.length + more.items.length).toBe(x.items);
      }),
    );
  });

  it("stays within the allowed pages and cost", async () => {
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.integer({ min: 0, max: 9 }),
        fc.double({ min: 0, max: 0.4, noNaN: true }),
        async (x, maxPages, maxUsd) => {
          const { client, asked } = pagedX(x);
          const all = await readAllPages(client, "getUsersPosts", timeline, { maxPages, maxUsd });
          expect(asked.length).toBeLessThanOrEqual(maxPages);
          expect(all.usd).toBeLessThanOrEqual(maxUsd);
          expect(all.usd).toBeCloseTo(all.items.length * 0.005, 9);
          if (all.stopped === "max_usd") expect(all.usd + 10 * 0.005).toBeGreaterThan(maxUsd);
        },
      ),
    );
  });

  it.each([
    [0.15, 3],
    [0.6, 12],
  ])("reads all the pages that $%d pays for", async (maxUsd, pages) => {
    const { client } = pagedX({ items: 200, pageSize: 10 });
    const all = await readAllPages(client, "getUsersPosts", timeline, { maxPages: 100, maxUsd });
    expect(all).toMatchObject({ stopped: "max_usd", pages, usd: maxUsd });
  });

  it("counts an author on every page once", async () => {
    const { client } = pagedX({ items: 50, pageSize: 10, author: "9" });
    const all = await readAllPages(client, "getUsersPosts", timeline, { maxPages: 5 });
    expect(all.usd).toBe(50 * 0.005 + 0.01);
  });

  it("sends the token under the caller's parameter name", async () => {
    const { client, asked } = pagedX({ items: 30, pageSize: 10 });
    const query = { query: "cats", max_results: 10, next_token: "10" };
    await readAllPages(client, "searchPostsRecent", { query }, { maxPages: 5 });
    expect(
      asked.map((url) => [url.searchParams.get("next_token"), url.searchParams.get("pagination_token")]),
    ).toEqual([
      ["10", null],
      ["20", null],
    ]);
  });

  it("refuses an operation that does not page", async () => {
    const { client, asked } = pagedX({ items: 1, pageSize: 1 });
    const all = await readAllPages(client, "getUsersMe", {}, { maxPages: 5 });
    expect(all).toMatchObject({ stopped: "failed", failure: { kind: "invalid_request" }, items: [] });
    expect(asked).toEqual([]);
  });
});

describe("reading page by page", () => {
  it("requests the next page only on demand", async () => {
    const { client, asked } = pagedX({ items: 50, pageSize: 10 });
    for await (const page of readPages(client, "getUsersPosts", timeline, { maxPages: 5 })) {
      expect(page.pagination).toEqual({ next_token: "10", result_count: 10, has_more: true });
      break;
    }
    expect(asked).toHaveLength(1);
  });
});
