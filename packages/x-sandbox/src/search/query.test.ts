import { expect, test } from "vitest";
import { defaultStart } from "../clock.ts";
import { seedWorld } from "../world/seed/seed-world.ts";
import { writePost } from "../world/write-post.ts";
import { parseQuery } from "./query.ts";

const world = seedWorld(1, defaultStart, { people: 12, posts: 0 });
const owner = world.personNamed("sandbox_owner")?.id ?? "";
const friend = world.personNamed("sandbox_friend")?.id ?? "";
const at = defaultStart;
const first = writePost(world, {
  authorId: owner,
  text: "Bread and #maps at https://example.com/a $TOOL",
  at,
});
const second = writePost(world, { authorId: friend, text: "Maps, only maps", at: at + 1, replyTo: first });
const third = writePost(world, {
  authorId: friend,
  text: "Bread for @sandbox_owner",
  at: at + 2,
  lang: "de",
  quoteOf: second,
});

function found(text: string): string[] {
  const parsed = parseQuery(text);
  if ("complaint" in parsed) throw new Error(parsed.complaint);
  const { query } = parsed;
  const candidates = [...query.candidates(world).older()].map((entry) => entry.item);
  return candidates.filter((id) => {
    const post = world.posts.get(id);
    return post !== undefined && query.matches(post, world);
  });
}

test.each([
  ["bread", [third, first]],
  ["maps", [second, first]],
  ["bread maps", [first]],
  ["bread OR maps", [third, second, first]],
  ["maps -bread", [second]],
  ['"only maps"', [second]],
  ["#maps", [first]],
  ["$tool", [first]],
  ["@sandbox_owner", [third, second]],
  ["from:sandbox_friend", [third, second]],
  ["from:@sandbox_friend lang:de", [third]],
  ["to:sandbox_owner", [second]],
  ["(bread OR maps) is:reply", [second]],
  ["maps has:links", [first]],
  ["bread -(is:quote OR has:hashtags)", []],
  [`conversation_id:${first.id}`, [second, first]],
  [`quotes_of_tweet_id:${second.id}`, [third]],
  ['url:"example.com"', [first]],
])("%s", (text, posts) => {
  expect(found(text)).toEqual(posts.map((post) => post.id));
});

test.each([
  ["lang:de", "stand alone"],
  ["-bread", "stand alone"],
  ["bread flavour:rye", "invalid operator 'flavour'"],
  ["(bread", "parenthesis is missing"],
  ["bread)", "parenthesis too many"],
  ["bread is:tasty", "does not take the value 'tasty'"],
  ["bread OR", "clause is missing"],
  ["bread min_likes:many", "does not take the value 'many'"],
])("the search query %s is rejected", (text, words) => {
  const parsed = parseQuery(text);
  expect("complaint" in parsed ? parsed.complaint : "accepted").toContain(words);
});
