import { type Clock, systemClock } from "./clock.ts";

/**
 * X's clock, as the `Date` headers of its answers show it. Between answers it runs on with monotonic time, so that
 * setting the clock of this machine changes nothing. Before the first answer it is the machine's own clock.
 *
 * @example
 * const xTime = new XTime();
 * const client = createXClient({ tokens, xTime });
 */
export class XTime {
  readonly #clock: Clock;
  /** X's time less monotonic time. */
  #offset: number;
  #isMeasured = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#offset = clock.now() - this.monotonic();
  }

  /** Milliseconds that only ever grow with the time that passes. */
  monotonic(): number {
    return this.#clock.monotonic?.() ?? this.#clock.now();
  }

  /** X's time, in epoch milliseconds. */
  now(): number {
    return Math.round(this.monotonic() + this.#offset);
  }

  /** The earliest time that X's clocks may show now. */
  earliest(): number {
    return this.now() - (this.#isMeasured ? MEASURED_MS : UNMEASURED_MS);
  }

  /** How far this machine's clock is ahead of X's; undefined before X has said what time it is. */
  get aheadMs(): number | undefined {
    return this.#isMeasured ? this.#clock.now() - this.now() : undefined;
  }

  /** Learns from an answer to a request that was sent at this monotonic time. */
  observe(headers: Headers, sentAt: number): void {
    // Pages of proxies and portals come with clocks of their own.
    if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return;
    const date = Date.parse(headers.get("date") ?? "");
    if (Number.isNaN(date)) return;
    // X wrote the date between sending and now, and cut off its milliseconds.
    const least = date - this.monotonic();
    const most = date + 999 - sentAt;
    this.#offset = Math.min(Math.max(this.#offset, least), most);
    this.#isMeasured = true;
  }
}

/** X's servers have clocks of their own, which differ by a little. */
const MEASURED_MS = 5_000;
/** How far a machine's own clock may be off unnoticed. */
const UNMEASURED_MS = 120_000;
