import type { Clock } from "../clock.ts";

/**
 * A clock that does not advance until it is moved.
 *
 * ```ts
 * const clock = new FakeClock();
 * const bound = product.guardStack("notes").use(deadline).answering(successEnvelope(errors)).bind({ clock });
 * clock.advance(30_000);
 * ```
 */
export class FakeClock implements Clock {
  private time: number;
  private timers: { readonly at: number; readonly callback: () => void }[] = [];

  constructor(start = 1_700_000_000_000) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Due callbacks run in order, each at its own time. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (let next = this.nextUntil(end); next !== undefined; next = this.nextUntil(end)) {
      this.timers.splice(this.timers.indexOf(next), 1);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }

  get pending(): number {
    return this.timers.length;
  }

  private nextUntil(end: number) {
    return this.timers
      .filter(({ at }) => at <= end)
      .reduce<(typeof this.timers)[number] | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      );
  }
}
