import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ARCHETYPES, chooseFramework, FORMATS, namesOf } from "./frameworks.ts";

const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("what was used lately rests, whatever the dice say", () => {
  const history = fc.shuffledSubarray(namesOf(FORMATS));
  fc.assert(
    fc.property(history, dice, (recent, roll) => {
      const chosen = chooseFramework(FORMATS, recent, () => roll);
      expect(namesOf(FORMATS)).toContain(chosen);
      expect(recent.slice(0, 3)).not.toContain(chosen);
    }),
  );
});

test("the rest is chosen by weight", () => {
  const counts = new Map<string, number>();
  for (let roll = 0; roll < 1; roll += 0.01) {
    const chosen = chooseFramework(ARCHETYPES, [], () => roll);
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
  }
  for (const name of namesOf(ARCHETYPES)) {
    expect(counts.get(name)).toBeGreaterThanOrEqual(ARCHETYPES[name].weight - 1);
    expect(counts.get(name)).toBeLessThanOrEqual(ARCHETYPES[name].weight + 1);
  }
});
