/** Time as an argument; tests control it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that increase with elapsed time, independent of clock changes; default `now`. */
  monotonic?(): number;
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** A pending callback does not keep the process running. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout | undefined;
    let isTakenBack = false;
    // Most calls finish before the event loop continues, and a timer that is not set costs nothing.
    process.nextTick(() => {
      if (!isTakenBack) timer = setTimeout(callback, ms).unref();
    });
    return () => {
      isTakenBack = true;
      clearTimeout(timer);
    };
  },
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
