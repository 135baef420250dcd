import type { Clock } from "../src/index.ts";

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  private time: number;
  private timers: { at: number; callback: () => void }[] = [];

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

  advance(ms: number): void {
    this.time += ms;
    const due = this.timers.filter((timer) => timer.at <= this.time);
    this.timers = this.timers.filter((timer) => timer.at > this.time);
    for (const { callback } of due) callback();
  }

  get pending(): number {
    return this.timers.length;
  }
}
