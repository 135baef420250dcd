import { expect, test } from "vitest";
import { type Asking, noElicitation } from "./ask.ts";
import { requireConsent } from "./consent.ts";

const asks: Asking = { ...noElicitation, can: () => true };
const agrees: Asking = { ...asks, reply: () => ({ kind: "accepted", content: { confirm: "yes" } }) };
const question = { message: "Delete 3 notes?", code: "denied", confirmed: true } as const;
const denied = { ok: false, failure: { code: "denied", fixBy: "human" } };

test("the product decides if an answer through the client counts as a person's", () => {
  expect(requireConsent(agrees, question)).toBeUndefined();
  expect(requireConsent(agrees, { ...question, counts: (yes) => yes === "argument" })).toMatchObject(denied);
});

test.each([
  [{ kind: "accepted", content: { confirm: "no" } }, "The person did not agree"],
  [{ kind: "accepted", content: { confirm: true } }, "Nobody has agreed"],
  [{ kind: "accepted", content: {} }, "Nobody has agreed"],
  [{ kind: "refused", action: "cancel" }, "Nobody has agreed"],
  [{ kind: "refused", action: "decline" }, "Nobody has agreed"],
] as const)("nothing but a yes agrees, and only a no is called a person's: %o", (reply, message) => {
  expect(requireConsent({ ...asks, reply: () => reply }, question)).toMatchObject({
    ok: false,
    failure: { code: "denied", message: expect.stringContaining(message) },
  });
});

test("nobody is asked if the answer would not count", () => {
  expect(requireConsent(asks, question)).toMatchObject({ ok: null });
  expect(requireConsent(asks, { ...question, counts: () => false })).toMatchObject(denied);
});

test("the product decides if the agent's argument counts when the client cannot ask", () => {
  expect(requireConsent(noElicitation, question)).toBeUndefined();
  expect(requireConsent(noElicitation, { ...question, counts: (yes) => yes === "answer" })).toMatchObject(
    denied,
  );
});

test("an unreachable client cannot give consent", () => {
  expect(requireConsent({ ...noElicitation, unreachable: true }, question)).toMatchObject(denied);
});
