import { expect, test } from "vitest";
import { bugText, maskSecrets, redact } from "./redact.ts";

test("members with a secret's name are masked at any depth", () => {
  expect(
    redact({ text: "hi", access_token: "t", nested: [{ apiKey: "k", ok: 1 }], Authorization: "Bearer x" }),
  ).toEqual({
    text: "hi",
    access_token: "[secret]",
    nested: [{ apiKey: "[secret]", ok: 1 }],
    Authorization: "[secret]",
  });
});

test("names that only start like a secret's are not masked", () => {
  const harmless = { author: "ana", author_id: "1", pinned: true, keyboard: "de", authored_by: "bo" };
  expect(redact(harmless)).toEqual(harmless);
});

test("a request's secrets are masked: every header's value, query values by name, and members of a body given as text", () => {
  expect(
    redact({
      path: "/2/things",
      query: [
        { key: "max_results", value: "10" },
        { key: "auth", value: "s1" },
      ],
      headers: [
        { key: "X-Api-Key", value: "s2" },
        { key: "X-Mine", value: "s3" },
      ],
      body: '{"text":"hello","webhook":{"password":"s4"},"list":[{"key":"secret","value":"s5"}]}',
      other: "{not json, token",
    }),
  ).toEqual({
    path: "/2/things",
    query: [
      { key: "max_results", value: "10" },
      { key: "auth", value: "[secret]" },
    ],
    headers: [
      { key: "X-Api-Key", value: "[secret]" },
      { key: "X-Mine", value: "[secret]" },
    ],
    body: '{"text":"hello","webhook":{"password":"[secret]"},"list":[{"key":"secret","value":"[secret]"}]}',
    other: "{not json, token",
  });
  expect(redact({ body: '{ "text":  "hello" }', headers: { cookie: "a", accept: "b" } })).toEqual({
    body: '{ "text":  "hello" }',
    headers: { cookie: "[secret]", accept: "[secret]" },
  });
});

test.each([
  ["postgres://ana:hunter2@db.example/x", "postgres://[secret]@db.example/x"],
  ["see https://hunter2@host/path and http://a:b@h", "see https://[secret]@host/path and http://[secret]@h"],
  ["http://a%40b:hun%2Fter2@host:80/?q=x@y", "http://[secret]@host:80/?q=x@y"],
  ["http://ana:hun@ter2@host/", "http://[secret]@host/"],
  ["redis://:hunter2@cache", "redis://[secret]@cache"],
  ["Bearer abcdefghijkl", "[secret]"],
  ["https://llm.example/v1?api_key=hunter2&v=1", "https://llm.example/v1?api_key=[secret]&v=1"],
  ["GET https://h/?key=a#top failed", "GET https://h/?key=[secret]#top failed"],
  ["https://h/?v=1&X-Amz-Signature=abc", "https://h/?v=1&X-Amz-Signature=[secret]"],
])("what looks like a secret is masked in any text: %s", (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
  expect(redact({ note: text })).toEqual({ note: masked });
});

test.each([
  "https://example.com/@ana/status/1",
  "mail ana@example.com // later",
  "https://medium.com/p?x=http://a/@b",
  "a // b@c",
  "https://shop.example/?keyword=rye&monkey=1&sort=key",
])("an address without credentials stays: %s", (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test.each(["a.", "sk-", "eyJ-", "a://", "-----BEGIN ", "Bearer "])("a long text of %j is no work", (part) => {
  const text = part.repeat(2_000_000 / part.length);
  // Quadratic time would exceed the test's timeout.
  expect(maskSecrets(text).length).toBeGreaterThan(0);
});

test("the server's own secrets are masked everywhere", () => {
  expect(maskSecrets("it said tr0ub4dor!", ["tr0ub4dor", "it"])).toBe("it said [secret]!");
});

test("the log line of a bug is short, whatever its message quotes, and contains no secret", () => {
  const error = new Error(`No such text: ${"x".repeat(200_000)}`);
  const line = bugText({ reference: "r1", where: "a_tool", error });
  expect(line).toMatch(/^a_tool failed \(r1\): Error: No such text: xxx/);
  expect(line.length).toBeLessThan(5_000);
  const secret = new Error("GET https://ana:hunter2@example.com failed");
  expect(bugText({ reference: "r2", where: "a_tool", error: secret })).not.toContain("hunter2");
  expect(bugText({ reference: "r3", where: "a_tool", error: { token: "t" } })).toBe(
    "a_tool failed (r3): unknown error",
  );
});
