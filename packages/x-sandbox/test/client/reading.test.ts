import { readAllPages } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import { failureOf, places, type SignedIn, signedIn } from "./signed-in.ts";

describe.each(places)("reading with the client, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  test("searches, with authors", async () => {
    const found = await x.client.call<{ author_id: string }[]>("searchPostsRecent", {
      query: { query: "about", max_results: 10, expansions: "author_id", "post.fields": "author_id" },
    });
    if (!found.ok) throw new Error(found.failure.message);
    expect(found.value.data).toHaveLength(10);
    expect(found.value.pagination).toMatchObject({ result_count: 10, has_more: true });
    const authors = new Set(found.value.data.map(({ author_id }) => author_id));
    expect(found.value.includes.users).toHaveLength(authors.size);
  });

  test("pages to the end, and keeps what it has when a page fails", async () => {
    const args = { path: { id: x.owner.id }, query: { max_results: 5 } };
    const all = await readAllPages<{ id: string }>(x.client, "getUsersFollowers", args, { maxPages: 50 });
    const whole = { ...args, query: { max_results: 100 } };
    expect(await x.client.call("getUsersFollowers", whole)).toMatchObject({
      ok: true,
      value: { data: all.items },
    });
    expect(all).toMatchObject({ stopped: "end", pages: Math.ceil(all.items.length / 5) });
    expect(all.pages).toBeGreaterThan(1);
    x.sandbox.faults.add({ operation: "getUsersFollowers", kind: "error", at: 2 });
    const cut = await readAllPages<{ id: string }>(x.client, "getUsersFollowers", args, { maxPages: 50 });
    expect(cut).toMatchObject({ stopped: "failed", pages: 1, failure: { kind: "server_error" } });
    expect(cut.items).toEqual(all.items.slice(0, 5));
    expect(cut.next_token).toEqual(expect.any(String));
  });

  test("an empty search is no error, an unknown user is one, and a list names missing users", async () => {
    expect(await x.client.call("searchPostsRecent", { query: { query: "xylophonist" } })).toMatchObject({
      ok: true,
      value: { data: [], pagination: { result_count: 0, has_more: false } },
    });
    expect(
      await failureOf(x.client.call("getUsersByUsername", { path: { username: "nobody_at_all" } })),
    ).toMatchObject({ kind: "not_found", problem: "resource-not-found" });
    const [there = ""] = [...x.sandbox.world.posts.keys()];
    const some = await x.client.call("getPostsByIds", { query: { ids: [there, "2"] } });
    expect(some).toMatchObject({ ok: true, value: { data: [{ id: there }], errors: [{}] } });
  });

  test("a list without any existing user gives the reason for each", async () => {
    const none = await x.client.call("getPostsByIds", { query: { ids: ["1", "2"] } });
    expect(none).toMatchObject({ ok: true, value: { data: [], errors: [{}, {}] } });
  });

  test("retries reads that failed temporarily, and reports how often", async () => {
    x.sandbox.faults.add({ operation: "getUsersMe", kind: "error", count: 2 });
    expect(await x.patient.call("getUsersMe")).toMatchObject({ ok: true, value: { retries: 2 } });
    x.sandbox.faults.add({ operation: "getUsersMe", kind: "html", status: 502, count: 3 });
    expect(await failureOf(x.patient.call("getUsersMe"))).toMatchObject({
      kind: "server_error",
      status: 502,
      retries: 2,
    });
    x.sandbox.faults.add({ operation: "getUsersMe", kind: "rate_limited" });
    expect(await failureOf(x.patient.call("getUsersMe"))).not.toHaveProperty("retries");
  });

  test("an operation the sandbox does not serve is not retried", async () => {
    const failure = await failureOf(x.patient.call("getTrendsByWoeid", { path: { woeid: 1 } }));
    expect(failure).toMatchObject({ kind: "other", status: 501 });
    expect(x.requests("getTrendsByWoeid")).toBe(1);
  });
});
