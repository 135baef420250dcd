import fc from "fast-check";
import { expect, it } from "vitest";
import { cleaned, cleanText } from "./untrusted.ts";

it.each([
  ["zero-width space", "ig\u200bnore", "ignore"],
  ["zero-width non-joiner", "a\u200cb", "ab"],
  ["word joiner and byte-order mark", "a\u2060b\ufeffc", "abc"],
  ["soft hyphen", "pass\u00adword", "password"],
  ["right-to-left override", "\u202egnp.exe\u202c", "gnp.exe"],
  ["isolates and marks", "\u2066a\u2069\u200eb\u200f\u061c", "ab"],
  ["tag characters that spell a message", "hi\u{e0068}\u{e0065}\u{e0079}", "hi"],
  ["variation selectors that carry bytes", "x\ufe01\ufe02\u{e0110}", "x"],
  ["an emoji selector on a letter", "a\ufe0f", "a"],
  ["many selectors on an emoji", "❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f"],
  ["joiners between letters", "a\u200db", "ab"],
  ["control characters", "a\u0000b\u001b[31mc\u0085d", "ab[31mcd"],
  ["blank fillers", "a\u3164b\u115fc", "abc"],
  ["private use", "a\ue000b", "ab"],
])("untrusted text is stripped of %s", (_what, dirty, clean) => {
  expect(cleanText(dirty)).toBe(clean);
});

it.each([
  "👩‍👩‍👧‍👦",
  "❤️‍🔥",
  "👍🏽",
  "🏳️‍🌈",
  "1️⃣",
  "🇦🇹",
  "👩🏽‍💻",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "🧑‍🧑‍🧒‍🧒",
  "line\nbreak\tand tab",
  "日本語 العربية עברית ไทย",
])("leaves %j as it is", (text) => expect(cleanText(`before ${text} after`)).toBe(`before ${text} after`));

it("stripping invisible characters needs one pass and removes nothing visible", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, (dirty) => {
      const clean = cleanText(dirty);
      expect(cleanText(clean)).toBe(clean);
      expect(clean).not.toMatch(/[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u);
      const visible = (of: string) =>
        of.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]/gu, "");
      expect(visible(clean)).toBe(visible(dirty));
    }),
    { numRuns: 2000 },
  );
});

it("cleans every text of a value, however deep, keys too", () => {
  expect(
    cleaned({ text: "a\u200bb", list: [{ "na\u202eme": "c\u2060", n: 1, is: true, none: undefined }] }),
  ).toEqual({
    text: "ab",
    list: [{ name: "c", n: 1, is: true, none: null }],
  });
});
