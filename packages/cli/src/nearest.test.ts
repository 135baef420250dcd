import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test("a slip of a letter, two letters swapped, a slip of case or of an underscore finds the intended name", () => {
  const known = ["note_id", "text", "reply_to"];
  expect(nearest("noteId", known)).toBe("note_id");
  expect(nearest("txt", known)).toBe("text");
  expect(nearest("replyto", known)).toBe("reply_to");
  expect(nearest("prot", ["port", "host"])).toBe("port");
  expect(nearest("banana", known)).toBeUndefined();
});

test("a very long name is skipped", () => {
  expect(nearest("x".repeat(1_000_000), ["text"])).toBeUndefined();
});
