import fc from "fast-check";
import { expect, test } from "vitest";
import { firstIdAt, IdGenerator, timeOfId } from "./snowflake.ts";

const times = fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2035, 0) });

test("ids have 19 digits, increase, and contain their time", () => {
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 50 }), (moments) => {
      const mint = new IdGenerator();
      let latest = 0;
      let last = "";
      for (const time of moments) {
        const id = mint.mint(time);
        latest = Math.max(latest, time);
        expect(id).toMatch(/^[0-9]{19}$/);
        expect(id > last).toBe(true);
        expect(timeOfId(id)).toBe(latest);
        last = id;
      }
    }),
  );
});

test("the first id of an instant divides earlier from later", () => {
  fc.assert(
    fc.property(times, (time) => {
      const border = firstIdAt(time);
      expect(new IdGenerator().mint(time - 1) < border).toBe(true);
      expect(new IdGenerator().mint(time) >= border).toBe(true);
    }),
  );
});
