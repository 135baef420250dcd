import * as fc from "fast-check";
import twitterText from "twitter-text";
import { expect, test } from "vitest";
import { parsePost, weighPost } from "../src/text/index.ts";

const pieces = [
  ..."a b foo com co jp md ai README www list rt RT TSLA BRK localhost gov.uk foo.com t.co t.co/abc".split(
    " ",
  ),
  ...". . . .. - _ / ? = & # ＃ @ ＠ $ : :// ( ) [ ] \" ` ' ! ~ | + % * , ; …".split(" "),
  ..."http:// https:// HTTPS:// :8080 xn-- p1ai xn--p1ai example.日本 日 本 中国 中文网 香港 한국 рф РФ".split(
    " ",
  ),
  ..."é ö ß İ K ſ vermögensberatung テストテストテストテストテスト e\u0301 \u0301 가 ᄀ ᅡ 각 ﷺ Ι ⱥ ᲀ 𝒳 𐐀 𝟘".split(
    " ",
  ),
  ..."😀 🔥 ❤️ © ® 1 2 👩 👨 🏽 🇩 🇪 ♀️ ⚕️ 👍 ⌚️ ⛹️ 👁‍🗨 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿".split(" "),
  ...[
    "\ufe0f",
    "\u20e3",
    "\u200d",
    "\ud83d",
    "\ude00",
    "\ufeff",
    "\uffff",
    "\u200e",
    "\u202a",
    "\u2010",
    "\u2033",
  ],
  ...[" ", " ", "\n", "\u00a0", "\u3000", "\0", "\u001f", "\u007f", "。", "．", "x".repeat(30)],
];

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join("")),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((list) => list.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }).map((url) => `see ${url}.`),
  },
);

test("parsePost reads any text like the reference implementation", () => {
  fc.assert(
    fc.property(text, (written) => {
      const normal = written.normalize();
      const links = twitterText.extractUrlsWithIndices(normal);
      // The reference sometimes marks another place than the link it names.
      fc.pre(links.every(({ url, indices }) => normal.slice(...indices) === url) && !newerEmoji(normal));
      const [own, reference] = [ours(written), theirs(written, normal, links.length > 0)];
      // Comparing texts is much faster.
      if (JSON.stringify(own) !== JSON.stringify(reference)) expect(own).toEqual(reference);
    }),
    { numRuns: 30_000 },
  );
});

test("weighs emoji unknown to the reference like known ones", () => {
  const newer = fc.constantFrom("🐦‍🔥", "❤️‍🔥", "🙂‍↔️", "🧑‍🧑‍🧒‍🧒", "👩🏽‍❤️‍💋‍👨🏿", "🫱🏽‍🫲🏿", "👁️‍🗨️", "🫩");
  fc.assert(
    fc.property(
      fc.array(fc.oneof(newer, fc.constantFrom("a", " ", "日", "🔥", "#tag ", " foo.com "))),
      (list) => {
        const known = list.map((piece) => (newerEmoji(piece) ? "🔥" : piece)).join("");
        expect(weighPost(list.join("")).weighted_length).toBe(twitterText.parseTweet(known).weightedLength);
      },
    ),
  );
});

test("parsePost differs from the reference only for emoji and flags newer than the reference", () => {
  const differing = singleEmoji().filter((emoji) => weighPost(emoji).weighted_length !== theirWeight(emoji));
  expect(["♾️", "⚧️", "🇨🇶"]).toEqual(expect.arrayContaining(differing));
});

test("weighPost and parsePost agree", () => {
  fc.assert(
    fc.property(text, fc.nat(300), (written, limit) => {
      expect(parsePost(written, limit)).toMatchObject(weighPost(written, limit));
    }),
    { numRuns: 3_000 },
  );
});

function ours(written: string): unknown {
  const post = parsePost(written);
  return {
    weight: post.weighted_length,
    valid: post.valid,
    urls: post.urls.map(({ url, start, end }) => [url, start, end]),
    mentions: post.mentions.map(({ handle, start, end }) => [handle, start, end]),
    hashtags: post.hashtags.map(({ tag, start, end }) => [tag, start, end]),
    cashtags: post.cashtags.map(({ symbol, start, end }) => [symbol, start, end]),
    hasLink: post.billable_as === "post_with_url",
  };
}

function theirs(written: string, normal: string, hasLink: boolean): unknown {
  const { weightedLength, valid } = twitterText.parseTweet(written);
  const entities = twitterText.extractEntitiesWithIndices(normal);
  const those = (name: "url" | "screenName" | "hashtag" | "cashtag") =>
    entities.flatMap((entity) =>
      entity[name] && !entity.listSlug ? [[entity[name], ...entity.indices]] : [],
    );
  return {
    weight: weightedLength,
    valid,
    urls: those("url"),
    mentions: those("screenName"),
    hashtags: those("hashtag"),
    cashtags: those("cashtag"),
    hasLink,
  };
}

function theirWeight(written: string): number {
  return twitterText.parseTweet(written).weightedLength;
}

/** The reference stopped at Emoji 11. */
function newerEmoji(normal: string): boolean {
  return (normal.match(/\p{RGI_Emoji}/gv) ?? []).some((emoji) => theirWeight(emoji) !== 2);
}

function singleEmoji(): string[] {
  const points = Array.from({ length: 0x1fc00 }, (_, point) => String.fromCodePoint(point));
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(0x1f1e6 + at));
  const flags = letters.flatMap((one) => letters.map((other) => one + other));
  const all = [...points, ...points.map((point) => `${point}\ufe0f`), ...flags];
  return all.filter((candidate) => /^\p{RGI_Emoji}$/v.test(candidate));
}
