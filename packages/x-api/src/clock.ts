import { uptime } from "node:os";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that increase with elapsed time, independent of clock changes; default `now`. */
  monotonic?(): number;
  /** Clock time per real time; default 1. Only a sandbox differs. */
  readonly speed?: number;
  /** Runs once, unless the returned function is called first. */
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

/** Sleep since this process started, which `performance.now` excludes on most systems. */
function sleptMs(): number {
  // The system clock runs on during sleep. Checked first, because reading the uptime opens a file.
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

/** Stops when the signal fires. */
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
  /** Its time minus monotonic time, in the last three answers. */
  #offsets: readonly number[];

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#offsets = [clock.now() - this.monotonic()];
  }

  /** One wrong answer cannot move the median. */
  get #offset(): number {
    const offsets = this.#offsets.length === 3 ? this.#offsets.toSorted((a, b) => a - b) : this.#offsets;
    return offsets[1] ?? offsets[0] ?? 0;
  }

  get #isMeasured(): boolean {
    return this.#offsets.length > 1;
  }

  monotonic(): number {
    return this.#clock.monotonic?.() ?? this.#clock.now();
  }

  now(): number {
    return Math.round(this.monotonic() + this.#offset);
  }

  /** The earliest time X's clocks may show. */
  earliest(): number {
    return this.now() - (this.#isMeasured ? MEASURED_MS : UNMEASURED_MS) * this.speed;
  }

  get speed(): number {
    return this.#clock.speed ?? 1;
  }

  /** Undefined before the first answer. */
  get aheadMs(): number | undefined {
    return this.#isMeasured ? this.#clock.now() - this.now() : undefined;
  }

  /** Further answers decide. */
  get isDisputed(): boolean {
    const [first = 0, ...others] = this.#offsets.toSorted((a, b) => a - b);
    let last = first;
    for (const offset of others) {
      if (offset - last <= MEASURED_MS) return false;
      last = offset;
    }
    return others.length > 0;
  }

  /** `sentAt` is monotonic. */
  observe(headers: Headers, sentAt: number): void {
    // Proxies and captive portals have their own clocks.
    if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return;
    const date = Date.parse(headers.get("date") ?? "");
    if (Number.isNaN(date)) return;
    // X wrote the date after sending, and dropped its milliseconds.
    const least = date - this.monotonic();
    const most = date + 999 - sentAt;
    this.#offsets = [...this.#offsets.slice(-2), Math.min(Math.max(this.#offset, least), most)];
  }
}

/** The clocks of X's servers differ slightly. */
const MEASURED_MS = 5_000;
/** The tolerated error of the machine's clock. */
const UNMEASURED_MS = 120_000;
