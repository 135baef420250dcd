import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

test("quotes texts with commas, quotes and line breaks, and disarms formulas", () => {
  const rows = [
    ['He said "rye", twice', 3, null],
    ["=HYPERLINK(1)", -2, "two\nlines"],
  ];
  expect(csvOf(["Text", "Likes", "Note"], rows)).toBe(
    'Text,Likes,Note\r\n"He said ""rye"", twice",3,\r\n\'=HYPERLINK(1),-2,"two\nlines"',
  );
});
