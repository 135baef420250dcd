import { expect, test } from "vitest";
import { peopleLine } from "./vote.ts";

test.each([
  [1, [], undefined],
  [2, [], "0 of 2 people have approved it: waiting for 2 others."],
  [2, ["ana"], '1 of 2 people have approved it ("ana"): waiting for another person.'],
  [2, ["ana", "ben"], '2 of 2 people have approved it ("ana", "ben").'],
])("of %i needed, %j have approved: %s", (peopleNeeded, approvedBy, line) => {
  expect(peopleLine({ peopleNeeded, approvedBy })).toBe(line);
});
