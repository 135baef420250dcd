/** The clock of this package, so that tests can control time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Run once after `ms`, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

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
