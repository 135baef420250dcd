import { setImmediate } from "node:timers/promises";

/**
 * Work on a large file, cut into steps: each `yield` is a place where other calls may run. The same work is done at once
 * by `finish`, or in slices by `inSlices`.
 */
export type Steps<T> = Generator<void, T, void>;

/** How many small items a loop handles before it yields; a thousand take a few milliseconds. */
export const STEP = 500;

/** Longer work would keep a `ping` waiting. */
const SLICE_MS = 15;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Gives way to timers and input of other calls between slices. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
