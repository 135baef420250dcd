import { expect, it, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { isSimilar, mentionsProduct, mostMentions } from "./check-reply.ts";

it.each([
  ["Same text here", "same text here ", true],
  ["one two three four five", "One, two; three four FIVE!", true],
  ["one two three four five", "one two three four", true],
  ["one two three four five", "one two three four six", false],
  // Four words are too few.
  ["thanks a lot friend", "thanks a lot dear", false],
  ["thanks a lot friend", "Thanks a lot, friend", false],
  ["a quite different thought about bread", "nothing that anybody said before", false],
])("%j repeats the phrasing of %j: %s", (text, other, similar) => {
  expect(isSimilar(text, other)).toBe(similar);
});

test("a product is named by its name or its address", () => {
  const { business } = configSchema.parse({
    business: { product_name: "Crumb", product_url: "https://crumb.example/" },
  });
  expect(mentionsProduct("We use CRUMB for that", business)).toBe(true);
  expect(mentionsProduct("see crumb.example", business)).toBe(true);
  expect(mentionsProduct("bread", business)).toBe(false);
  expect(mentionsProduct("anything", configSchema.parse({}).business)).toBe(false);
});

test.each([
  [0, 0],
  [0.01, 1],
  [0.2, 4],
  [1, 20],
])("a ratio of %d allows %d of the latest 20 replies", (ratio, most) => {
  expect(mostMentions(ratio)).toBe(most);
});
