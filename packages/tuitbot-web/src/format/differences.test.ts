import fc from "fast-check";
import { expect, test } from "vitest";
import { differences } from "./differences.ts";

test("names the words that an edit removes and adds", () => {
  expect(differences("The oven needs 220 degrees.", "The oven needs 250 degrees!")).toEqual([
    { kind: "same", text: "The oven needs " },
    { kind: "removed", text: "220" },
    { kind: "added", text: "250" },
    { kind: "same", text: " degrees" },
    { kind: "removed", text: "." },
    { kind: "added", text: "!" },
  ]);
});

test("without what was added it is the old text, and without what was removed the new one", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 80 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = differences(before, after);
      const without = (kind: "removed" | "added") =>
        parts
          .filter((part) => part.kind !== kind)
          .map((part) => part.text)
          .join("");
      expect(without("added")).toBe(before);
      expect(without("removed")).toBe(after);
    }),
  );
});
