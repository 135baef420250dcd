import { describe, expect, test } from "vitest";
import { minute } from "../clock.ts";
import { Sandbox } from "../sandbox.ts";
import { cast } from "./seed/cast.ts";

const headers = (sandbox: Sandbox) => ({ authorization: `Bearer ${sandbox.signIn().accessToken}` });

async function read(sandbox: Sandbox, path: string) {
  const response = await sandbox.fetch(`https://api.x.com${path}`, { headers: headers(sandbox) });
  return response.json() as Promise<{ data: never }>;
}

async function metrics(sandbox: Sandbox, id: string): Promise<Record<string, number>> {
  const { data } = await read(sandbox, `/2/tweets/${id}?tweet.fields=public_metrics`);
  return (data as { public_metrics: Record<string, number> }).public_metrics;
}

describe("in a lively sandbox", () => {
  test("a post of the owner is seen, liked and answered, more and more", async () => {
    const sandbox = new Sandbox({ lively: true });
    const { id } = sandbox.say(cast.owner, "My first loaf.");
    expect(await metrics(sandbox, id)).toMatchObject({ impression_count: 0, like_count: 0, reply_count: 0 });
    sandbox.clock.advance(10 * minute);
    const early = await metrics(sandbox, id);
    sandbox.clock.advance(50 * minute);
    const later = await metrics(sandbox, id);
    expect(early.impression_count).toBeGreaterThan(0);
    expect(later.impression_count).toBeGreaterThan(2 * (early.impression_count ?? 0));
    expect(later.like_count).toBeGreaterThanOrEqual(3);
    expect(later.reply_count).toBeGreaterThanOrEqual(1);
    sandbox.clock.advance(30 * 24 * 60 * minute);
    const atLast = await metrics(sandbox, id);
    expect(atLast.impression_count).toBeLessThanOrEqual(900);
    expect(atLast.like_count).toBeLessThanOrEqual(12);
  });

  test("somebody follows the owner within hours of a post", async () => {
    const sandbox = new Sandbox({ lively: true });
    const owner = sandbox.person(cast.owner).id;
    const before = sandbox.world.follows.to(owner).size;
    for (let day = 0; day < 6; day++) {
      sandbox.say(cast.owner, `Loaf of day ${day}.`);
      sandbox.clock.advance(24 * 60 * minute);
      await sandbox.catchUp();
    }
    const after = sandbox.world.follows.to(owner).size;
    expect(after).toBeGreaterThan(before);
    expect(after).toBeLessThanOrEqual(before + 3);
  });

  test("new posts appear in the next request, in order of time", async () => {
    const sandbox = new Sandbox({ lively: true });
    const before = sandbox.world.posts.size;
    sandbox.clock.advance(6 * 60 * minute);
    await sandbox.catchUp();
    const said = [...sandbox.world.posts.values()].slice(before);
    expect(said.length).toBeGreaterThanOrEqual(8);
    const times = said.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(sandbox.clock.now());
  });

  test("a search at the start finds people with questions that can be answered", async () => {
    const sandbox = new Sandbox({ lively: true, plan: "enterprise" });
    const query = "query=sourdough&max_results=10&tweet.fields=author_id,created_at";
    const { data } = await read(sandbox, `/2/tweets/search/recent?${query}`);
    const posts = data as { id: string; text: string; author_id: string }[];
    const asking = posts.filter(({ text }) => text.includes("sourdough") && text.includes("bread"));
    expect(asking.length).toBeGreaterThanOrEqual(8);
    expect(new Set(asking.map(({ author_id }) => author_id)).size).toBe(asking.length);
    for (const { id } of asking) {
      const response = await sandbox.fetch("https://api.x.com/2/tweets", {
        method: "POST",
        headers: { ...headers(sandbox), "content-type": "application/json" },
        body: JSON.stringify({ text: `For ${id}`, reply: { in_reply_to_tweet_id: id } }),
      });
      expect(response.status).toBe(201);
    }
  });

  test("a deleted post gets no further reactions", async () => {
    const sandbox = new Sandbox({ lively: true });
    const post = sandbox.say(cast.owner, "Not for long.");
    sandbox.world.removePost(post);
    sandbox.clock.advance(24 * 60 * minute);
    await sandbox.catchUp();
    expect(sandbox.world.likes.to(post.id).size).toBe(0);
    expect(sandbox.world.repliesTo.of(post.id).size).toBe(0);
  });

  test("the same seed gives the same people, also after a reset", async () => {
    const [a, b] = [new Sandbox({ lively: true, seed: 7 }), new Sandbox({ lively: true, seed: 7 })];
    expect(a.dump().digest).toBe(b.dump().digest);
    const fresh = a.dump().digest;
    a.clock.advance(60 * minute);
    await a.catchUp();
    expect(a.dump().digest).not.toBe(fresh);
    a.reset();
    expect(a.dump().digest).toBe(fresh);
  });
});

test("a sandbox that is not lively does not change", async () => {
  const sandbox = new Sandbox();
  const { posts } = sandbox.dump();
  sandbox.clock.advance(24 * 60 * minute);
  await sandbox.catchUp();
  expect(sandbox.dump().posts).toEqual(posts);
});
