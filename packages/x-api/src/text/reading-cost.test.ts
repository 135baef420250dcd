import { expect, test, vi } from "vitest";

const { cost } = vi.hoisted(() => ({ cost: { reads: 0 } }));

/** Counts every read of a unit of the text. */
vi.mock("./units.ts", async (importActual) => {
  const actual = await importActual<typeof import("./units.ts")>();
  const counted = (units: Uint16Array) =>
    new Proxy(units, {
      get(target, key) {
        cost.reads += 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return { ...actual, unitsOf: (text: string) => counted(actual.unitsOf(text)) };
});

const { parsePost } = await import("./parse-post.ts");

test.each([
  "a.",
  "_.com",
  "com.",
  "日",
  "http://",
  "example.com/(",
  "@",
  "#",
  "👩‍",
  "_a.com_",
  "日.com_",
  "a_b.com__",
  "a-b_c.com_-",
  "日_b.com_.-",
  "a.co?.",
  "a.b_",
  "é.é.com/é",
])("reading %j again and again takes looks in proportion to the length", (piece) => {
  const looksAt = (times: number) => {
    cost.reads = 0;
    parsePost(`${piece.repeat(times)}.com`, 60_000);
    return cost.reads;
  };
  looksAt(1); // The tables are filled at the first text.
  const once = looksAt(100);
  expect(once).toBeGreaterThan(0);
  expect(looksAt(200)).toBeLessThan(2.2 * once);
});
