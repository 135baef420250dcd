/** Time as an argument, so that tests hold the clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that grow with the time that passes, whatever the clock is set to; `now` where it is missing. */
  monotonic?(): number;
  /** Calls back once after `ms`; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

/** The time of this machine. A callback that still waits does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout | undefined;
    let isTakenBack = false;
    // Most calls are done before the event loop goes on, and a timer that is never set costs nothing.
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
