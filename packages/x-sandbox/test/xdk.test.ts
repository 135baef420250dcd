import { Client, OAuth1, PostPaginator, UserPaginator } from "@xdevplatform/xdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hear } from "./caller.ts";
import { type Program, startProgram } from "./program.ts";

/** X's official client over HTTP, without code of ours. */
describe("the official XDK", () => {
  let program: Program;
  let asUser: Client;
  let asApp: Client;
  let myId: string;

  beforeAll(async () => {
    program = await startProgram("--seed", "7", "--start", "2026-09-01T12:00:00Z", "--frozen");
    const { url, access_token, bearer_token, user } = program.greeting;
    asUser = new Client({ baseUrl: url, accessToken: access_token });
    asApp = new Client({ baseUrl: url, bearerToken: bearer_token });
    myId = user.id;
  });

  afterAll(async () => {
    await program.stop();
  });

  test("reads people and posts, with fields and expansions", async () => {
    const me = await asUser.users.getMe({ userFields: ["public_metrics", "created_at"] });
    expect(me.data).toMatchObject({ id: myId, username: "sandbox_owner" });
    expect(me.data?.publicMetrics?.followersCount).toBeGreaterThan(0);

    const posts = await asApp.users.getPosts(myId, {
      maxResults: 5,
      postFields: ["created_at", "public_metrics", "entities"],
      expansions: ["author_id"],
    });
    expect(posts.data).toHaveLength(5);
    expect(posts.data?.[0]?.publicMetrics?.repostCount).toBeTypeOf("number");
    expect(posts.includes?.users).toMatchObject([{ id: myId }]);
  });

  test("searches", async () => {
    const found = await asApp.posts.searchRecent("maps -is:reply", {
      maxResults: 10,
      postFields: ["created_at"],
    });
    expect(found.meta?.resultCount).toBe(found.data?.length);
    for (const post of found.data ?? []) expect(post.text?.toLowerCase()).toContain("maps");
  });

  test("posts, reads back, and gets an error for a duplicate", async () => {
    const made = await asUser.posts.create({ text: "Posted by X's own client" });
    const id = made.data?.id ?? "";
    expect(id).toMatch(/^[0-9]{19}$/);
    const read = await asUser.posts.getById(id, { expansions: ["author_id"] });
    expect(read.data).toMatchObject({ id, text: "Posted by X's own client", authorId: myId });
    await expect(asUser.posts.create({ text: "Posted by X's own client" })).rejects.toMatchObject({
      status: 403,
      data: { detail: "You are not allowed to create a Tweet with duplicate content." },
    });
    expect((await asUser.posts.delete(id)).data).toEqual({ deleted: true });
  });

  test("pages through followers and posts to the end", async () => {
    const followers = new UserPaginator(async (token) => {
      const page = await asApp.users.getFollowers(myId, {
        maxResults: 7,
        ...(token !== undefined && { paginationToken: token }),
      });
      return { data: page.data ?? [], meta: page.meta ?? {} };
    });
    const people = [];
    for await (const person of followers) people.push(person.id);
    const me = await asUser.users.getMe({ userFields: ["public_metrics"] });
    expect(people).toHaveLength(me.data?.publicMetrics?.followersCount ?? -1);
    expect(new Set(people).size).toBe(people.length);

    const timeline = new PostPaginator(async (token) => {
      const page = await asUser.users.getTimeline(myId, {
        maxResults: 100,
        ...(token !== undefined && { paginationToken: token }),
      });
      return { data: page.data ?? [], meta: page.meta ?? {} };
    });
    const posts: string[] = [];
    for await (const post of timeline) posts.push(post.id ?? "");
    expect(posts.length).toBeGreaterThan(100);
    expect(posts).toEqual([...new Set(posts)].sort().reverse());
  });

  test("signs with OAuth 1.0a, and a wrong secret is rejected", async () => {
    const { url } = program.greeting;
    const keys = await hear(await fetch(`${url}/_sandbox/credentials?user=sandbox_owner`));
    const client = (accessTokenSecret: string): Client =>
      new Client({
        baseUrl: url,
        oauth1: new OAuth1({
          apiKey: keys.word("apps", 0, "consumerKey"),
          apiSecret: keys.word("apps", 0, "consumerSecret"),
          callback: "oob",
          accessToken: keys.word("oauth1", "token"),
          accessTokenSecret,
        }),
      });
    const me = await client(keys.word("oauth1", "secret")).users.getMe({ userFields: ["created_at", "url"] });
    expect(me.data?.username).toBe("sandbox_owner");
    await expect(client("wrong").users.getMe()).rejects.toMatchObject({ status: 401 });
  });
});
