import { expect, test } from "vitest";
import { asEdited, readEdited } from "./draft-view.ts";

test.each([[["One post"]], [["One", "Two"]], [["Above\n---\nbelow"]], [["Above\n-----\nbelow", "Two\n---"]]])(
  "texts that were left as they are in the editor stay as they are",
  (texts) => {
    expect(readEdited(asEdited(texts), texts)).toEqual(texts);
  },
);

test("a line of dashes parts a text", () => {
  expect(readEdited("One\n---\nTwo\n----\n\nThree", ["One"])).toEqual(["One", "Two", "Three"]);
});
