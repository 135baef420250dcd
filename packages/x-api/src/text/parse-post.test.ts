import { describe, expect, test } from "vitest";
import { parsePost, weighPost } from "./parse-post.ts";

describe("weight", () => {
  test.each([
    ["", 0],
    ["hello", 5],
    ["naïve café", 10],
    ["日本語", 6],
    ["한국어", 6],
    ["Привет", 6],
    ["e\u0301", 1],
    ["🙂", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["🇩🇪", 2],
    ["1️⃣", 2],
    ["❤️", 2],
    ["©", 1],
    ["“quoted” – text…", 17],
    ["https://example.com/a/very/long/path/that/goes/on/and/on", 23],
    ["example.com and https://example.org", 51],
  ])("of %j is %i", (text, weight) => {
    expect(weighPost(text).weighted_length).toBe(weight);
    expect(parsePost(text).weighted_length).toBe(weight);
  });

  test.each(["🐦‍🔥", "❤️‍🔥", "🙂‍↔️", "🧑‍🧑‍🧒‍🧒", "👩🏽‍❤️‍💋‍👨🏿", "🫱🏽‍🫲🏿", "👁️‍🗨️"])(
    "of the emoji %s, unknown to the reference, is 2",
    (emoji) => expect(weighPost(emoji).weighted_length).toBe(2),
  );
});

describe("a valid post", () => {
  test("is not empty, not too long, and has no invalid characters", () => {
    expect(weighPost("a".repeat(280))).toMatchObject({ valid: true, problems: [], limit: 280 });
    expect(weighPost("a".repeat(281))).toMatchObject({ valid: false, problems: ["too_long"] });
    expect(weighPost("字".repeat(141))).toMatchObject({ weighted_length: 282, problems: ["too_long"] });
    expect(weighPost("字".repeat(141), 25_000)).toMatchObject({ valid: true, limit: 25_000 });
    expect(weighPost("")).toMatchObject({ valid: false, problems: ["empty"] });
    expect(weighPost("a\uffffb")).toMatchObject({ valid: false, problems: ["invalid_characters"] });
    expect(weighPost(`\ufeff${"a".repeat(280)}`)).toMatchObject({
      problems: ["too_long", "invalid_characters"],
    });
  });

  test("is in Unicode normal form C", () => {
    const post = parsePost("cafe\u0301 #cafe\u0301");
    expect(post.text).toBe("café #café");
    expect(post.hashtags).toEqual([{ tag: "café", start: 5, end: 10 }]);
  });
});

describe("a link makes a post more expensive", () => {
  test.each([
    "README.md",
    "claude.ai",
    "foo.zip",
    "x.com/i/status/1",
    "google.dad",
    "Go to EXAMPLE.COM now",
    "(https://example.com)",
    "日本語example.com",
  ])("%s", (text) => expect(weighPost(text).billable_as).toBe("post_with_url"));

  test.each([
    "config.json",
    "node.js",
    "index.ts",
    "a@b.com",
    "v1.2.3",
    "http://localhost:3000",
    "end.Then",
    "e.g.",
  ])("but %s does not", (text) => expect(weighPost(text).billable_as).toBe("post"));
});

test("finds links, people, hashtags and cashtags with their positions", () => {
  const post = parsePost(
    "@alpha_example see https://example.com/@beta?q=#no, #Grüße $BRK.B $BTC @list/owner mail@example.com",
  );
  expect(post.urls).toEqual([{ url: "https://example.com/@beta?q=#no", start: 19, end: 50 }]);
  expect(post.mentions).toEqual([{ handle: "alpha_example", start: 0, end: 14 }]);
  expect(post.hashtags).toEqual([{ tag: "Grüße", start: 52, end: 58 }]);
  expect(post.cashtags.map(({ symbol }) => symbol)).toEqual(["BRK.B", "BTC"]);
  for (const { url, start, end } of post.urls) expect(post.text.slice(start, end)).toBe(url);
});

test("parsing one text does not affect the next", () => {
  const first = parsePost("see example.com and #tag");
  const copy = structuredClone(first);
  parsePost("日本語 #他の @someone example.org");
  expect(first).toEqual(copy);
});

test.each([
  ["/b(a).", "/b(a)"],
  ["/b.(a).", "/b"],
  ["/b.(a)c.", "/b.(a)c"],
])("the path of a link in %j ends after %j", (written, path) => {
  expect(parsePost(`https://example.com${written}`).urls[0]?.url).toBe(`https://example.com${path}`);
});
