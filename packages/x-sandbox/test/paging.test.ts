import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";
import { app, Caller, type Heard, owner } from "./caller.ts";

/** `between` runs after every page. */
async function walk(caller: Caller, path: string, between: () => void = () => {}): Promise<string[]> {
  const found: string[] = [];
  let token: string | undefined;
  do {
    const heard = await caller.get(token === undefined ? path : `${path}&pagination_token=${token}`);
    expect(heard.status, heard.text).toBe(200);
    expect(heard.at("meta", "result_count")).toBe(heard.ids.length);
    found.push(...heard.ids);
    const next = heard.at("meta", "next_token");
    token = typeof next === "string" ? next : undefined;
    caller.sandbox.clock.advance(60_000);
    between();
  } while (token !== undefined);
  return found;
}

describe("walking a list", () => {
  test("meets every item that stays exactly once, while others come and go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 100 }),
        fc.array(fc.constantFrom("add", "remove"), { maxLength: 30 }),
        fc.nat(1_000),
        async (size, changes, seed) => {
          const sandbox = new Sandbox({ seed: 3, size: { people: 8, posts: 0 } });
          const me = app(sandbox);
          const author = sandbox.person("sandbox_owner");
          for (let i = 0; i < 120; i++) {
            sandbox.say("sandbox_owner", `Post ${i}`);
            if (i % 3 === 0) sandbox.clock.advance(1_000);
          }
          const staying = new Set(sandbox.world.postsBy.of(author.id).items());
          const pending = [...changes];
          const found = await walk(me, `/2/users/${author.id}/tweets?max_results=${size}`, () => {
            for (const change of pending.splice(0, 3)) {
              if (change === "add") sandbox.say("sandbox_owner", `Late ${seed} ${pending.length}`);
              else {
                const ids = [...staying];
                const gone = sandbox.world.posts.get(ids[seed % ids.length] ?? "");
                if (gone === undefined) continue;
                staying.delete(gone.id);
                sandbox.world.removePost(gone);
              }
            }
          });
          expect(new Set(found).size).toBe(found.length);
          for (const id of staying) expect(found).toContain(id);
          expect(found).toEqual([...found].sort().reverse());
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    ["followers", (id: string) => `/2/users/${id}/followers?max_results=3`],
    ["mentions", (id: string) => `/2/users/${id}/mentions?max_results=5`],
    ["home timeline", (id: string) => `/2/users/${id}/timelines/reverse_chronological?max_results=40`],
    ["messages", () => "/2/dm_events?max_results=7"],
    ["search", () => "/2/tweets/search/recent?query=about&max_results=10"],
    ["memberships", (id: string) => `/2/users/${id}/list_memberships?max_results=1`],
  ])("%s in small pages and in one large page are the same", async (_name, path) => {
    const me = owner({ creditsUsd: 10_000 });
    const id = me.sandbox.person("sandbox_owner").id;
    const small = await walk(me, path(id));
    me.sandbox.clock.set(me.sandbox.clock.start);
    const fresh = new Caller(me.sandbox, me.sandbox.signIn().accessToken);
    const large = await walk(fresh, path(id).replace(/max_results=\d+/, "max_results=100"));
    expect(small).toEqual(large);
    expect(small.length).toBeGreaterThan(1);
  });

  test("goes back with previous_token", async () => {
    const me = owner();
    const path = `/2/users/${me.sandbox.person("sandbox_owner").id}/followers?max_results=4`;
    const first = await me.get(path);
    const second = await me.get(`${path}&pagination_token=${first.word("meta", "next_token")}`);
    const back = await me.get(`${path}&pagination_token=${second.word("meta", "previous_token")}`);
    expect(back.ids).toEqual(first.ids);
    expect(first.at("meta", "previous_token")).toBeUndefined();
  });

  test("accepts search tokens under either name", async () => {
    const me = owner();
    const path = "/2/tweets/search/recent?query=about&max_results=10";
    const token = (await me.get(path)).word("meta", "next_token");
    expect((await me.get(`${path}&next_token=${token}`)).ids).toEqual(
      (await me.get(`${path}&pagination_token=${token}`)).ids,
    );
  });

  test("rejects invalid tokens and those of another list", async () => {
    const me = owner();
    const id = me.sandbox.person("sandbox_owner").id;
    const foreign = (await me.get(`/2/users/${id}/followers?max_results=1`)).word("meta", "next_token");
    for (const token of ["0123456789abcdef", foreign]) {
      const heard = await me.get(`/2/users/${id}/mentions?pagination_token=${token}`);
      expect(heard.status).toBe(400);
      expect(heard.word("errors", 0, "message")).toBe(
        `The \`pagination_token\` query parameter value [${token}] is not valid`,
      );
    }
  });
});

describe("an empty result", () => {
  test("has no data, only a count", async () => {
    const me = owner();
    expect((await me.get("/2/tweets/search/recent?query=xylophonist")).body).toEqual({
      meta: { result_count: 0 },
    });
  });
});

describe("since and until", () => {
  test("ids are exclusive at both ends, times include the start and exclude the end", async () => {
    const me = owner();
    const id = me.sandbox.person("sandbox_owner").id;
    const all = (await me.get(`/2/users/${id}/tweets?max_results=10&post.fields=created_at`)).ids;
    const [newest, , third, fourth] = all;
    expect((await me.get(`/2/users/${id}/tweets?since_id=${fourth}&until_id=${newest}`)).ids).toEqual(
      all.slice(1, 3),
    );
    const at = me.sandbox.world.posts.get(third ?? "")?.createdAt ?? "";
    expect((await me.get(`/2/users/${id}/tweets?start_time=${at}`)).ids).toEqual(all.slice(0, 3));
    expect((await me.get(`/2/users/${id}/tweets?max_results=5&end_time=${at}`)).ids[0]).toBe(fourth);
  });

  test("the highest id has nothing newer", async () => {
    const me = owner();
    const id = me.sandbox.person("sandbox_owner").id;
    const heard = await me.get(`/2/users/${id}/tweets?since_id=${"9".repeat(19)}`);
    expect(heard.body).toEqual({ meta: { result_count: 0 } });
  });

  test("search reaches back seven days and ends ten seconds ago", async () => {
    const me = owner();
    const post = me.sandbox.say("sandbox_friend", "Xylophones at last");
    const search = () => me.get("/2/tweets/search/recent?query=xylophones");
    expect((await search()).ids).toEqual([]);
    me.sandbox.clock.advance(10_001);
    expect((await search()).ids).toEqual([post.id]);
    const now = new Date(me.sandbox.clock.now()).toISOString();
    const late = await me.get(`/2/tweets/search/recent?query=about&end_time=${now}`);
    expect(late.word("errors", 0, "message")).toBe(
      "Invalid 'end_time': must be a minimum of 10 seconds prior to the request time.",
    );
    const early = await me.get("/2/tweets/search/recent?query=about&start_time=2026-08-01T00:00:00Z");
    expect(early.word("errors", 0, "message")).toContain(
      "Invalid 'start_time': must be on or after 2026-08-25T12:00:10",
    );
    me.sandbox.clock.advance(7 * 86_400_000);
    expect((await app(me.sandbox).get("/2/tweets/search/recent?query=xylophones")).ids).toEqual([]);
    expect((await app(me.sandbox).get("/2/tweets/search/all?query=xylophones")).ids).toEqual([post.id]);
  });

  test("counts match the search", async () => {
    const me = owner();
    const counts = await me.get("/2/tweets/counts/recent?query=about&granularity=day");
    const found = await walk(me, "/2/tweets/search/recent?query=about&max_results=100");
    expect(counts.at("meta", "total_post_count")).toBe(found.length);
  });

  test("counts of the archive come a month at a time, and the months have no gap", async () => {
    const asApp = app(owner().sandbox);
    const path = "/2/tweets/counts/all?query=about&granularity=minute&start_time=2026-06-01T00:00:00Z";
    const months: Heard[] = [await asApp.get(path)];
    for (let token = months[0]?.at("meta", "next_token"); token !== undefined; ) {
      const month = await asApp.get(`${path}&next_token=${token}`);
      months.unshift(month);
      token = month.at("meta", "next_token");
    }
    expect(months).toHaveLength(3);
    const buckets = months.flatMap((month) => month.at("data") as { start: string; end: string }[]);
    expect(Math.max(...months.map((month) => month.text.length))).toBeLessThan(5_000_000);
    expect([buckets[0]?.start, buckets.at(-1)?.end]).toEqual([
      "2026-06-01T00:00:00.000Z",
      "2026-09-01T11:59:50.000Z",
    ]);
    expect(buckets.filter(({ end }, i) => i + 1 < buckets.length && buckets[i + 1]?.start !== end)).toEqual(
      [],
    );
    const counted = months.map((month) => Number(month.at("meta", "total_post_count")));
    const found = await walk(asApp, "/2/tweets/search/all?query=about&max_results=500");
    expect(counted.reduce((sum, count) => sum + count)).toBe(found.length);
  });

  test("a token of counts is not valid for other counts", async () => {
    const asApp = app(owner().sandbox);
    const path = "/2/tweets/counts/all?query=about&start_time=2026-06-01T00:00:00Z";
    const token = (await asApp.get(`${path}&granularity=day`)).word("meta", "next_token");
    expect((await asApp.get(`${path}&granularity=hour&next_token=${token}`)).status).toBe(400);
  });
});
