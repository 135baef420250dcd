import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fit } from "./fit.ts";
import type { Json } from "./json.ts";

const size = (value: Json) => Buffer.byteLength(JSON.stringify(value));

describe("fit", () => {
  test("does not change a value that fits", () => {
    expect(fit({ a: [1, 2] }, 100)).toEqual({ value: { a: [1, 2] }, what: "" });
  });

  test("keeps the first items of the largest list and reports how many", () => {
    const posts = Array.from({ length: 50 }, (_, i) => ({ id: i, text: "x".repeat(40) }));
    const fitted = fit({ posts, note: "short" }, 1000);
    expect(fitted?.what).toMatch(/^posts: the first \d+ of 50 items$/);
    expect(fitted?.value).toMatchObject({ posts: expect.arrayContaining([posts[0]]), note: "short" });
  });

  test("cuts a long text rather than the one item that holds it", () => {
    const fitted = fit({ posts: [{ text: "é".repeat(5000) }] }, 1000);
    expect(fitted?.what).toContain("posts.0.text: the first");
    expect(size(fitted?.value ?? null)).toBeLessThanOrEqual(1000);
  });

  test("keeps the first entries of a map", () => {
    const settings = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key_${i}`, i]));
    const fitted = fit({ settings }, 500);
    expect(fitted?.what).toMatch(/^settings: the first \d+ of 200 entries$/);
    expect(size(fitted?.value ?? null)).toBeLessThanOrEqual(500);
    expect(fitted?.value).toMatchObject({ settings: { key_0: 0, key_1: 1 } });
    const long = { ...settings, key_0: "x".repeat(9000) };
    expect(fit({ long }, 4000)?.what).toMatch(/^long.key_0: the first \d+ of 9000 characters/);
  });

  test("reports values that are not large because of lists, maps or texts", () => {
    expect(
      fit(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key_${i}`, i])), 100),
    ).toBeUndefined();
  });

  test("a cut value fits, and is a prefix of the original", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.nat(), text: fc.string({ maxLength: 400 }) }), { maxLength: 40 }),
        (items) => {
          const fitted = fit({ items }, 2000);
          expect(size(fitted?.value ?? null)).toBeLessThanOrEqual(2000);
          const kept = (fitted?.value as { items: typeof items } | undefined)?.items ?? [];
          expect(items.slice(0, kept.length).map((item) => item.id)).toEqual(kept.map((item) => item.id));
        },
      ),
    );
  });
});
