import { weighPost } from "@toolpact/x-api/text";
import { expect, test } from "vitest";
import { type Editing, insertPost, movePost, numbered, splitLong, splitPost } from "./editing.ts";

const thread: Editing = {
  draft: undefined,
  texts: ["One.", "Two. Three.", "Four."],
  media: [
    { post: 2, file_path: "/two.png" },
    { post: 3, file_path: "/four.png" },
  ],
  options: {},
};
const places = ({ media }: Editing) => media.map(({ post, file_path }) => `${file_path} ${post}`);

test("files follow their post when it is moved, or another is inserted or split before it", () => {
  const up = movePost(thread, 1, -1);
  expect(up.texts).toEqual(["Two. Three.", "One.", "Four."]);
  expect(places(up)).toEqual(["/two.png 1", "/four.png 3"]);
  expect(movePost(thread, 0, -1)).toBe(thread);
  expect(movePost(thread, 2, 1)).toBe(thread);
  expect(places(insertPost(thread, 1))).toEqual(["/two.png 3", "/four.png 4"]);
  const split = splitPost(thread, 1, "Two.".length);
  expect(split.texts).toEqual(["One.", "Two.", "Three.", "Four."]);
  expect(places(split)).toEqual(["/two.png 2", "/four.png 4"]);
});

test("numbers are added at the end of each post, follow a new order, and go away again", () => {
  const once = numbered(thread);
  expect(once.texts).toEqual(["One. 1/3", "Two. Three. 2/3", "Four. 3/3"]);
  expect(numbered(movePost(once, 0, 1)).texts).toEqual(["Two. Three. 1/3", "One. 2/3", "Four. 3/3"]);
  expect(numbered(once).texts).toEqual(thread.texts);
});

test("a long text becomes posts that fit with their numbers, cut after sentences, words or characters", () => {
  const sentence = "Rye at ten percent gives more flavor for hardly more work. ";
  const lengths = (texts: readonly string[]) => texts.map((text) => weighPost(text).weighted_length);
  const long: Editing = { ...thread, texts: [sentence.repeat(14).trim()], media: [] };
  const { texts } = splitLong(long, 0);
  expect(texts.join(" ")).toBe(long.texts[0]);
  expect(texts.every((text) => text.endsWith("work."))).toBe(true);
  expect(Math.max(...lengths(numbered({ ...long, texts }).texts))).toBeLessThanOrEqual(280);
  const word = { ...long, texts: ["🍞".repeat(200)] };
  const cut = splitLong(word, 0).texts;
  expect(cut.join("")).toBe(word.texts[0]);
  expect(Math.max(...lengths(cut))).toBeLessThanOrEqual(280);
});
