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
  // The clock of the machine goes on while it sleeps, so that the two drift apart. Asking for the uptime reads a file.
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
