import { expect, test } from "vitest";
import { isSamePost } from "./same-post.ts";

const link = (url: string, expanded_url: string, more: object = {}) => ({ url, expanded_url, ...more });

test.each<readonly [string, object, object, boolean]>([
  ["the same text", { text: "Hello" }, { text: "Hello" }, true],
  ["another text", { text: "Hello" }, { text: "Hullo" }, false],
  ["X's escapes", { text: "a < b & c > d" }, { text: "a &lt; b &amp; c &gt; d" }, true],
  ["X's spaces and Unicode form", { text: " cafe\u0301  now\n" }, { text: "café now" }, true],
  [
    "a shortened link",
    { text: "See https://example.com/a now" },
    { text: "See https://t.co/1 now", entities: { urls: [link("https://t.co/1", "https://example.com/a")] } },
    true,
  ],
  [
    "a link without a scheme",
    { text: "See example.com" },
    { text: "See https://t.co/1", entities: { urls: [link("https://t.co/1", "http://example.com")] } },
    true,
  ],
  [
    "another link",
    { text: "See https://example.com/a" },
    { text: "See https://t.co/1", entities: { urls: [link("https://t.co/1", "https://example.com/b")] } },
    false,
  ],
  [
    "a picture, whose link X adds",
    { text: "Look", media: { media_ids: ["77"] } },
    {
      text: "Look https://t.co/2",
      attachments: { media_keys: ["3_77"] },
      entities: {
        urls: [link("https://t.co/2", "https://x.com/me/status/1/photo/1", { media_key: "3_77" })],
      },
    },
    true,
  ],
  [
    "another picture",
    { text: "Look", media: { media_ids: ["77"] } },
    { text: "Look", attachments: { media_keys: ["3_78"] } },
    false,
  ],
  [
    "a quote, whose link X adds",
    { text: "So true", quote_tweet_id: "5" },
    {
      text: "So true https://t.co/3",
      referenced_tweets: [{ type: "quoted", id: "5" }],
      entities: { urls: [link("https://t.co/3", "https://x.com/a/status/5")] },
    },
    true,
  ],
  [
    "a reply, whose greeting X adds",
    { text: "Thanks", reply: { in_reply_to_tweet_id: "9" } },
    { text: "@friend Thanks", referenced_tweets: [{ type: "replied_to", id: "9" }] },
    true,
  ],
  [
    "a post to one person from the same to another",
    { text: "@friend thank you" },
    { text: "@unknown thank you" },
    false,
  ],
  ["a post to a person from one to nobody", { text: "thank you" }, { text: "@unknown thank you" }, false],
  [
    "a reply that greets somebody else",
    { text: "@friend Thanks", reply: { in_reply_to_tweet_id: "9" } },
    { text: "@unknown Thanks", referenced_tweets: [{ type: "replied_to", id: "9" }] },
    false,
  ],
  [
    "a reply that greets, and X's greetings before it",
    { text: "@friend Thanks", reply: { in_reply_to_tweet_id: "9" } },
    { text: "@one @two @friend Thanks", referenced_tweets: [{ type: "replied_to", id: "9" }] },
    true,
  ],
  [
    "a reply with other words before the same",
    { text: "Thanks", reply: { in_reply_to_tweet_id: "9" } },
    { text: "@friend No Thanks", referenced_tweets: [{ type: "replied_to", id: "9" }] },
    false,
  ],
  [
    "a reply to another post",
    { text: "Thanks", reply: { in_reply_to_tweet_id: "9" } },
    { text: "Thanks", referenced_tweets: [{ type: "replied_to", id: "8" }] },
    false,
  ],
  [
    "a repost of the same text",
    { text: "Hello" },
    { text: "Hello", referenced_tweets: [{ type: "retweeted", id: "1" }] },
    false,
  ],
  [
    "a long post, which X cuts",
    { text: "L".repeat(300) },
    { text: `${"L".repeat(279)}…`, note_tweet: { text: "L".repeat(300) } },
    true,
  ],
])("a post read back is compared with the request: %s", (_, request, post, isSame) => {
  expect(isSamePost(request as never, post as never)).toBe(isSame);
});
