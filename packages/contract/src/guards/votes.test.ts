import { expect, test } from "vitest";
import { peopleLine, personIn, personVia } from "./approval-item.ts";

test.each([
  [1, [], undefined],
  [2, [], "0 of 2 people have approved it: waiting for 2 others."],
  [2, ["ana"], '1 of 2 people have approved it ("ana"): waiting for another person.'],
  [2, ["ana", "ben"], '2 of 2 people have approved it ("ana", "ben").'],
])("with %i votes needed and approvals by %j the reviewer reads: %s", (peopleNeeded, approvedBy, line) => {
  expect(peopleLine({ peopleNeeded, approvedBy })).toBe(line);
});

test("a person is the same on every surface, and an answer through a client is anonymous", () => {
  for (const by of [
    personVia("web", '"Ana"'),
    personVia("terminal", 'user "ANA "'),
    'person via slack, "ana", with a passkey',
  ])
    expect(personIn(by)).toBe("ana");
  expect(personIn(personVia("terminal", "uid 501"))).toBe("uid 501");
  for (const by of [
    'person via stdio, "ana"',
    'person via http, "ana"',
    'person via stdio, client "ana"',
    'agent via web, "ana"',
    'person via web, "\\x"',
    "person via web",
  ])
    expect(personIn(by), by).toBeUndefined();
});
