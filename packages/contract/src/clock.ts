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
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
