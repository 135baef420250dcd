import { uptime } from "node:os";

/** The clock of this package, so that tests can control time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that grow with the time that passes, whatever the clock is set to; `now` where it is missing. */
  monotonic?(): number;
  /** How many of its milliseconds pass in one of this machine's; 1 where it is missing. Only a sandbox has others. */
  readonly speed?: number;
  /** Run once after `ms`, unless the returned function is called first. */
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

/** How long the machine was asleep since this process began, which `performance.now` leaves out on most systems. */
function sleptMs(): number {
  // The clock of the machine goes on while it sleeps, so the two drift apart. Asking for the uptime reads a file.
  const aheadMs = Date.now() - performance.now();
  if (Math.abs(aheadMs - known.aheadMs) < DRIFT_MS) return known.sleptMs;
  known = { aheadMs, sleptMs: measureSleep() };
  return known.sleptMs;
}

function measureSleep(): number {
  const slept = uptime() * 1_000 - performance.now() - UPTIME_AT_START_MS;
  // The system counts its uptime in seconds.
  return slept > 3_000 ? slept : 0;
}

const UPTIME_AT_START_MS = uptime() * 1_000 - performance.now();

/** Less than a sleep that counts. */
const DRIFT_MS = 1_000;

let known = { aheadMs: Date.now() - performance.now(), sleptMs: 0 };

/** Wait, or stop waiting when the signal fires. */
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
 * X's clock, as the `Date` headers of its answers show it. Between answers it runs on with monotonic time, so that
 * setting the clock of this machine changes nothing. Before the first answer it is the machine's own clock. An answer
 * that is far off counts only when a second one agrees: some server of X may have a wrong clock.
 *
 * @example
 * const xTime = new XTime();
 * const client = createXClient({ tokens, xTime });
 */
export class XTime {
  readonly #clock: Clock;
  /** X's time less monotonic time, as the machine's clock and then the last three answers have it. */
  #offsets: readonly number[];

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#offsets = [clock.now() - this.monotonic()];
  }

  /** The middle one of three, which one that is wrong does not move; the last where there are fewer. */
  get #offset(): number {
    const offsets = this.#offsets.length === 3 ? this.#offsets.toSorted((a, b) => a - b) : this.#offsets;
    return offsets[1] ?? offsets[0] ?? 0;
  }

  get #isMeasured(): boolean {
    return this.#offsets.length > 1;
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
    return this.now() - (this.#isMeasured ? MEASURED_MS : UNMEASURED_MS) * this.speed;
  }

  /** How many of its milliseconds pass in one of this machine's. */
  get speed(): number {
    return this.#clock.speed ?? 1;
  }

  /** How far this machine's clock is ahead of X's; undefined before X has said what time it is. */
  get aheadMs(): number | undefined {
    return this.#isMeasured ? this.#clock.now() - this.now() : undefined;
  }

  /** The machine's clock and X's answers all say something else: further answers show which is right. */
  get isDisputed(): boolean {
    const [first = 0, ...others] = this.#offsets.toSorted((a, b) => a - b);
    let last = first;
    for (const offset of others) {
      if (offset - last <= MEASURED_MS) return false;
      last = offset;
    }
    return others.length > 0;
  }

  /** Learns from an answer to a request that was sent at this monotonic time. */
  observe(headers: Headers, sentAt: number): void {
    // Pages of proxies and portals have their own clocks.
    if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return;
    const date = Date.parse(headers.get("date") ?? "");
    if (Number.isNaN(date)) return;
    // X wrote the date between sending and now, and cut off its milliseconds.
    const least = date - this.monotonic();
    const most = date + 999 - sentAt;
    this.#offsets = [...this.#offsets.slice(-2), Math.min(Math.max(this.#offset, least), most)];
  }
}

/** The clocks of X's servers differ slightly. */
const MEASURED_MS = 5_000;
/** How far a machine's own clock may be off unnoticed. */
const UNMEASURED_MS = 120_000;
