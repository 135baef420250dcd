import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test("members with a secret's name are masked at any depth", () => {
  expect(
    redact({ text: "hi", access_token: "t", nested: [{ apiKey: "k", ok: 1 }], Authorization: "Bearer x" }),
  ).toEqual({
    text: "hi",
    access_token: "[secret]",
    nested: [{ apiKey: "[secret]", ok: 1 }],
    Authorization: "[secret]",
  });
});
