import { describe, expect, test } from "vitest";
import { commonTags, voiceOf } from "./ask-voice.ts";

describe("keywords", () => {
  test("are hashtags that several posts have, counted once a post", () => {
    expect(
      commonTags([
        "#Sourdough #sourdough and patience. https://patience.example/#patience",
        "Bread takes patience. #rye #sourdough",
        "What about #Rye?",
        "Again: #bread",
      ]),
    ).toEqual(["rye", "sourdough"]);
  });

  test("are no words that posts merely repeat", () => {
    expect(
      commonTags(["I learned three easy things.", "The last three tables were wrong and boring."]),
    ).toEqual([]);
    expect(commonTags([])).toEqual([]);
  });

  test("count tags of any alphabet", () => {
    expect(commonTags(["#Хлеб свежий", "Снова #хлеб"])).toEqual(["хлеб"]);
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
