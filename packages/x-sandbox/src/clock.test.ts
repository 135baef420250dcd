import { expect, test } from "vitest";
import { SandboxClock } from "./clock.ts";
import { Sandbox } from "./sandbox.ts";

test("a clock without a source does not advance until it is moved", () => {
  const clock = new SandboxClock(1_000);
  expect(clock.now()).toBe(1_000);
  clock.advance(500);
  expect(clock.now()).toBe(1_500);
  clock.set(10);
  expect(clock.now()).toBe(10);
});

test("a clock with a source advances from the time it was set to", () => {
  let real = 50;
  const clock = new SandboxClock(1_000, () => real);
  real += 7;
  expect(clock.now()).toBe(1_007);
  clock.advance(100);
  real += 1;
  expect(clock.now()).toBe(1_108);
  clock.set(5_000);
  real += 2;
  expect(clock.now()).toBe(5_002);
});

test("a running sandbox starts at real time, again after a reset", () => {
  let real = Date.UTC(2027, 0, 1);
  const sandbox = new Sandbox({ realTime: () => real, size: { people: 8, posts: 5 } });
  expect(sandbox.clock.now()).toBe(real);
  real += 90_000;
  sandbox.clock.advance(1_000);
  sandbox.reset();
  expect(sandbox.clock.now()).toBe(real);
});

test("a fast clock advances in whole milliseconds, even after it was moved", () => {
  let real = 50;
  const clock = new SandboxClock(1_000, () => real, 60);
  real += 10;
  expect(clock.now()).toBe(1_600);
  clock.advance(1);
  real += 0.5;
  expect(clock.now()).toBe(1_631);
  real += 0.51;
  expect(clock.now()).toBe(1_661);
});
