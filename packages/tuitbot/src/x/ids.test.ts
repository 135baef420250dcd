import fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";
import * as ids from "./ids.ts";

const id = fc.bigInt({ min: 1n, max: 10n ** 19n - 1n }).map(String);
const name = fc.stringMatching(/^\w{1,15}$/);

it("understands a post by its id and by every address that X gives it", () => {
  const addresses = [
    (post: string, author: string) => `https://x.com/${author}/status/${post}`,
    (post: string, author: string) => `http://twitter.com/${author}/status/${post}?s=20&t=abc`,
    (post: string, author: string) => `https://mobile.twitter.com/${author}/statuses/${post}/photo/1`,
    (post: string) => `https://x.com/i/web/status/${post}#top`,
    (post: string, author: string) => ` www.x.com/${author}/status/${post} `,
    (post: string) => post,
  ];
  fc.assert(
    fc.property(id, name, fc.constantFrom(...addresses), (post, author, address) => {
      expect(ids.postId.parse(address(post, author))).toBe(post);
    }),
  );
});

it.each([
  "hello",
  "",
  "0",
  "-5",
  "12345678901234567890",
  "https://example.com/a/status/123",
  "https://x.com.evil.example/a/status/123",
  "https://x.com/a/status/",
  "https://x.com/a",
])("%j is rejected as a post id, with the expected format", (text) => {
  const parsed = ids.postId.safeParse(text);
  expect(parsed.error?.issues[0]?.message).toMatch(/^is not a post: send its id/);
});

it("a numeric post id is accepted unless JSON has lost digits of it", () => {
  expect(ids.postId.parse(1234567)).toBe("1234567");
  const lossy = JSON.parse("1234567890123456789");
  expect(ids.postId.safeParse(lossy).error?.issues[0]?.message).toMatch(/loses digits$/);
  expect(ids.postId.safeParse(1.5).success).toBe(false);
});

it("understands a person by id, name, address and `me`", () => {
  fc.assert(
    fc.property(id, name, (number, who) => {
      expect(ids.person.parse(number)).toBe(number);
      expect(ids.person.parse(`@${who}`)).toBe(`@${who}`);
      expect(ids.handle.parse(`@${who}`)).toBe(who);
      expect(ids.handle.parse(who)).toBe(who);
    }),
  );
  expect(ids.person.parse("sandbox_owner")).toBe("@sandbox_owner");
  expect(ids.person.parse("https://x.com/sandbox_owner/")).toBe("@sandbox_owner");
  expect(ids.person.parse("me")).toBe("me");
  expect(ids.person.parse("@me")).toBe("@me");
});

it.each(["two words", "@", "a-b", "sixteen_letters_x", "https://x.com/home", "https://x.com/i/lists/1"])(
  "%j is rejected as a user name",
  (text) => {
    expect(ids.handle.safeParse(text).success).toBe(false);
    expect(ids.person.safeParse(text).success).toBe(false);
  },
);

it("understands lists, Spaces and conversations by id and address", () => {
  expect(ids.listId.parse("https://x.com/i/lists/84839422")).toBe("84839422");
  expect(ids.listId.parse("84839422")).toBe("84839422");
  expect(ids.spaceId.parse("https://twitter.com/i/spaces/1DXxyRYNejbKM")).toBe("1DXxyRYNejbKM");
  expect(ids.conversationId.parse("https://x.com/messages/12-34")).toBe("12-34");
  expect(ids.conversationId.safeParse("12").success).toBe(false);
  expect(ids.listId.safeParse("my-list").success).toBe(false);
});

it("several ids are read from one text or a list, without duplicates", () => {
  expect(ids.postIds.parse("12, https://x.com/a/status/34,12,")).toEqual(["12", "34"]);
  expect(ids.handles.parse(["@sandbox_owner", "sandbox_friend"])).toEqual([
    "sandbox_owner",
    "sandbox_friend",
  ]);
  expect(ids.postIds.safeParse(" , ").error?.issues[0]?.message).toBe("is empty");
  expect(ids.postIds.safeParse("12,x").error?.issues[0]?.message).toMatch(
    /^holds something that is not a post/,
  );
});

it("clients see ids as plain text in the schema", () => {
  for (const schema of [ids.postId, ids.person, ids.postIds, ids.handles])
    expect(z.toJSONSchema(schema, { io: "input" })).toMatchObject({ type: "string" });
});
