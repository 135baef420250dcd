import { expect, test } from "vitest";
import { articleContent } from "./article.ts";

test("an article's Markdown becomes blocks with styles", () => {
  const text = "# Rye\n\nIt is **dark** and *sour*.\n\n- flour\n1. knead\n> Slowly.\n2 * 3 * 4";
  expect(articleContent(text)).toEqual({
    entities: [],
    blocks: [
      { type: "header-one", text: "Rye" },
      {
        type: "unstyled",
        text: "It is dark and sour.",
        inline_style_ranges: [
          { offset: 6, length: 4, style: "bold" },
          { offset: 15, length: 4, style: "italic" },
        ],
      },
      { type: "unordered-list-item", text: "flour" },
      { type: "ordered-list-item", text: "knead" },
      { type: "blockquote", text: "Slowly." },
      { type: "unstyled", text: "2 * 3 * 4" },
    ],
  });
});
