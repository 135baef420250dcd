import { describe, expect, test } from "vitest";
import { commonWords, voiceOf } from "./ask-voice.ts";

describe("keywords", () => {
  test("are words that several posts have in common, counted once a post", () => {
    expect(
      commonWords([
        "Sourdough, sourdough, sourdough and patience.",
        "Baking bread takes patience, https://patience.example @patience",
        "What about rye? #Sourdough",
        "Bread again.",
      ]),
    ).toEqual(["bread", "patience", "sourdough"]);
  });

  test("are none where nothing repeats", () => {
    expect(commonWords(["Only this once.", "And something else entirely."])).toEqual([]);
    expect(commonWords([])).toEqual([]);
  });

  test("count words of any alphabet", () => {
    expect(commonWords(["Хлеб свежий", "Снова хлеб"])).toEqual(["хлеб"]);
  });
});

describe("voice", () => {
  test("says what was counted", () => {
    expect(voiceOf(["Do you bake? I do.", "Rye or wheat?", "I love my oven 🔥"])).toBe(
      "short sentences, often asks questions, speaks as I, often emoji, no hashtags",
    );
    expect(voiceOf([])).toBe("");
  });
});
