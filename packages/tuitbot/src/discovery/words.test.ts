import { expect, test } from "vitest";
import { hasWords, searchedWords } from "./words.ts";

test.each([
  ["The breadth of roadmaps", "bread", false],
  ["Bread, at last!", "bread", true],
  ["#bread", "bread", true],
  ["gingerbread", "bread", false],
  ["sour  dough starter", "sour dough", true],
  ["soursdough", "sour dough", false],
  ["C++ and Rust", "c++", true],
  ["C++ and Rust", "c", true],
  ["Node.js rocks", "node.js", true],
  ["nodeXjs rocks", "node.js", false],
  ["ÜBERGRÖSSE", "übergrösse", true],
  ["naïveté", "na", false],
  ["我爱面包店", "面包", true],
  ["ขนมปังสด", "ขนมปัง", true],
  ["ＢＲＥＡＤ", "bread", true],
  ["anything", " ", false],
])("%j with %j: %s", (text, words, is) => {
  expect(hasWords(text, words)).toBe(is);
});

test.each([
  ["sourdough", [["sourdough"]]],
  ["sourdough starter -is:retweet lang:en", [["sourdough", "starter"]]],
  ['("rye bread" OR #loaf) -rye', [["rye bread"], ["loaf"]]],
  ["from:XDevelopers has:links", []],
  ["bread -(cheap OR white)", [["bread"]]],
])("%j looks for %j", (query, words) => {
  expect(searchedWords(query)).toEqual(words);
});
