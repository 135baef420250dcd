import { uptime } from "node:os";

/** The clock of this package; tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that increase with elapsed time, independent of clock changes; default `now`. */
  monotonic?(): number;
  /** Clock milliseconds per real millisecond; default 1. Only a sandbox differs. */
  readonly speed?: number;
  /** Runs once after `ms`, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() + sleptMs(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** How long the machine has slept since this process started, which `performance.now` excludes on most systems. */
function sleptMs(): number {
  // The system clock continues during sleep, so the two drift apart. Reading the uptime opens a file.
  const aheadMs = Date.now() - performance.now();
  if (Math.abs(aheadMs - known.aheadMs) < DRIFT_MS) return known.sleptMs;
  known = { aheadMs, sleptMs: measureSleep() };
  return known.sleptMs;
}

function measureSleep(): number {
  const slept = uptime() * 1_000 - performance.now() - UPTIME_AT_START_MS;
  // The system counts its uptime in whole seconds.
  return slept > 3_000 ? slept : 0;
}

const UPTIME_AT_START_MS = uptime() * 1_000 - performance.now();

/** Smaller than any sleep that matters. */
const DRIFT_MS = 1_000;

let known = { aheadMs: Date.now() - performance.now(), sleptMs: 0 };

/** Waits, or stops when the signal fires. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done);
  });
}

/**
 * X's clock, from the `Date` headers of its answers. Between answers it advances with monotonic time: changes to
 * this machine's clock have no effect. Before the first answer it is the machine's clock. An answer
 * that is far off counts only if a second one agrees, because a server of X may have a wrong clock.
 *
 * @example
 * const xTime = new XTime();
 * const client = createXClient({ tokens, xTime });
 */
export class XTime {
  readonly #clock: Clock;
  /** X's time minus monotonic time: first from the machine's clock, then from the last three answers. */
  #offsets: readonly number[];

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#offsets = [clock.now() - this.monotonic()];
  }

  /** The median of three, which one wrong answer cannot move; the last one if there are fewer. */
  get #offset(): number {
    const offsets = this.#offsets.length === 3 ? this.#offsets.toSorted((a, b) => a - b) : this.#offsets;
    return offsets[1] ?? offsets[0] ?? 0;
  }

  get #isMeasured(): boolean {
    return this.#offsets.length > 1;
  }

  /** Milliseconds that increase with elapsed time. */
  monotonic(): number {
    return this.#clock.monotonic?.() ?? this.#clock.now();
  }

  /** X's time, in epoch milliseconds. */
  now(): number {
    return Math.round(this.monotonic() + this.#offset);
  }

  /** The earliest time X's clocks may show now. */
  earliest(): number {
    return this.now() - (this.#isMeasured ? MEASURED_MS : UNMEASURED_MS) * this.speed;
  }

  /** Clock milliseconds per real millisecond. */
  get speed(): number {
    return this.#clock.speed ?? 1;
  }

  /** How far this machine's clock is ahead of X's; undefined before the first answer. */
  get aheadMs(): number | undefined {
    return this.#isMeasured ? this.#clock.now() - this.now() : undefined;
  }

  /** True if the machine's clock and X's answers disagree; further answers decide. */
  get isDisputed(): boolean {
    const [first = 0, ...others] = this.#offsets.toSorted((a, b) => a - b);
    let last = first;
    for (const offset of others) {
      if (offset - last <= MEASURED_MS) return false;
      last = offset;
    }
    return others.length > 0;
  }

  /** Updates the clock from an answer to a request sent at this monotonic time. */
  observe(headers: Headers, sentAt: number): void {
    // Proxies and captive portals have their own clocks.
    if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return;
    const date = Date.parse(headers.get("date") ?? "");
    if (Number.isNaN(date)) return;
    // X wrote the date between sending and now, and dropped its milliseconds.
    const least = date - this.monotonic();
    const most = date + 999 - sentAt;
    this.#offsets = [...this.#offsets.slice(-2), Math.min(Math.max(this.#offset, least), most)];
  }
}

/** The clocks of X's servers differ slightly. */
const MEASURED_MS = 5_000;
/** The tolerated error of the machine's clock. */
const UNMEASURED_MS = 120_000;
