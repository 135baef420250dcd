import { expect, test } from "vitest";
import { fairness, most, predict } from "./model.ts";

test("one agent waits for nobody, and many get what the cores give", () => {
  const cost = { cpuMs: 8, waitMs: 12 };
  expect(predict(cost, 2, 1).meanMs).toBeCloseTo(20);
  expect(predict(cost, 2, 1).callsPerSecond).toBeCloseTo(50);
  const many = predict(cost, 2, 500);
  expect(many.callsPerSecond).toBeCloseTo(most(8, 2), 0);
  expect(many.callsPerSecond * (many.meanMs / 1_000)).toBeCloseTo(500);
});

test("more agents never mean fewer calls, and more cores never slower ones", () => {
  const cost = { cpuMs: 5, waitMs: 3 };
  const throughput = Array.from({ length: 50 }, (_, n) =>
    Math.round(predict(cost, 2, n + 1).callsPerSecond * 1_000),
  );
  expect(throughput).toEqual(throughput.toSorted((one, other) => one - other));
  expect(predict(cost, 4, 30).meanMs).toBeLessThan(predict(cost, 2, 30).meanMs);
});

test("fairness is 1 where all get the same, and falls to one part where one gets all", () => {
  expect(fairness([7, 7, 7, 7])).toBe(1);
  expect(fairness([28, 0, 0, 0])).toBe(0.25);
  expect(fairness([])).toBe(1);
});

/** As `npm run trial:replicas -- --accounts 1000` measured them; docs/scaling.md has the same rows. */
const measured = [
  [1, 1.99, 6.85, 175.9, 0.2],
  [10, 1.98, 5.51, 353.3, 0.12],
  [34, 1.97, 7.4, 266.3, 0.12],
  [100, 1.97, 8.04, 244.7, 0.12],
  // The same on a machine that was busy with other work.
  [1, 1.18, 10.33, 106.8, 0.12],
  [10, 0.64, 10.59, 60.9, 0.12],
  [34, 0.28, 10.0, 31.2, 0.12],
  [100, 0.22, 16.41, 13.7, 0.12],
] as const;
const WAIT_MS = 0;

test.each(measured)(
  "for %i agents and %f cores, the model gives what was measured",
  (agents, cores, cpuMs, found, error) => {
    const { callsPerSecond } = predict({ cpuMs, waitMs: WAIT_MS }, cores, agents);
    expect(Math.abs(callsPerSecond - found) / found).toBeLessThan(error);
  },
);
