import { describe, expect, test } from "vitest";
import { cast, Sandbox } from "../src/index.ts";

describe("the world", () => {
  test("is the same for the same seed, and differs for another", () => {
    const digest = (seed: number): string => new Sandbox({ seed }).dump().digest;
    expect(digest(7)).toBe(digest(7));
    expect(digest(7)).not.toBe(digest(8));
  });

  test("has another digest after a change, and the first one again after a reset", () => {
    const sandbox = new Sandbox({ seed: 7 });
    const { digest } = sandbox.dump();
    sandbox.say("sandbox_friend", "Something new");
    expect(sandbox.dump().digest).not.toBe(digest);
    sandbox.reset();
    expect(sandbox.dump().digest).toBe(digest);
  });

  test("has the same people with the same ids whenever the clock starts", () => {
    const at = (start: number) => new Sandbox({ seed: 7, start }).dump();
    const [autumn, spring] = [at(Date.UTC(2026, 8, 1)), at(Date.UTC(2027, 2, 1))];
    expect(autumn.people.map(({ id, username }) => [id, username])).toEqual(
      spring.people.map(({ id, username }) => [id, username]),
    );
    expect(autumn.posts.map(({ submitted }) => submitted)).toEqual(
      spring.posts.map(({ submitted }) => submitted),
    );
  });

  test("accepts only start times whose ids have 19 digits", () => {
    for (const start of [Date.UTC(1999, 0), Date.UTC(2081, 0), Number.NaN])
      expect(() => new Sandbox({ start })).toThrow(RangeError);
  });

  test("has data of every kind, with 19-digit ids", () => {
    const sandbox = new Sandbox({ seed: 7 });
    const { people, posts, lists, spaces, media, direct_messages, bonds } = sandbox.dump();
    expect(people).toHaveLength(90);
    expect(posts.length).toBeGreaterThan(1_000);
    for (const kind of ["replyTo", "quoteOf", "repostOf", "poll"] as const) {
      expect(posts.filter((post) => post[kind] !== undefined).length, kind).toBeGreaterThan(10);
    }
    expect(
      [lists.length, spaces.length, media.length, direct_messages.length].every((count) => count > 10),
    ).toBe(true);
    for (const [name, pairs] of Object.entries(bonds)) expect(pairs.length, name).toBeGreaterThan(0);
    for (const { id } of [...people, ...posts, ...lists, ...media, ...direct_messages])
      expect(id).toMatch(/^[0-9]{19}$/);
    expect(sandbox.world.mentionsOf.of(sandbox.person(cast.owner).id).size).toBeGreaterThan(20);
  });

  test("has only valid and unique usernames, for any number of people", () => {
    const usernames = new Sandbox({ seed: 7, size: { people: 1_200, posts: 0 } })
      .dump()
      .people.map(({ username }) => username);
    expect(usernames.filter((username) => !/^\w{1,15}$/.test(username))).toEqual([]);
    expect(new Set(usernames).size).toBe(1_200);
  });

  test("is consistent: every reference resolves", () => {
    const { world } = new Sandbox({ seed: 7 });
    for (const post of world.posts.values()) {
      expect(world.people.has(post.authorId)).toBe(true);
      for (const id of [post.replyTo?.postId, post.quoteOf, post.repostOf])
        if (id !== undefined) expect(world.posts.has(id)).toBe(true);
      for (const id of post.mediaIds) expect(world.media.has(id)).toBe(true);
      const parent = world.posts.get(post.replyTo?.postId ?? "");
      if (parent !== undefined) {
        expect(post.conversationId).toBe(parent.conversationId);
        expect(parent.id < post.id).toBe(true);
      }
    }
  });
});
