import type { Clock } from "@toolpact/contract";

interface Limits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for an event until the time is up or the caller cancels. `listen` waits for the event and returns functions
 * that stop listening. It is not called if the signal is already aborted.
 */
export function waitForEvent<T>(
  { clock, timeoutMs, signal }: Limits,
  giveUp: (isAborted: boolean) => T,
  listen: (resolve: (value: T) => void) => readonly (() => void)[],
): Promise<T> {
  return new Promise((done) => {
    const onAbort = () => resolve(giveUp(true));
    const ends = [
      clock.after(timeoutMs, () => resolve(giveUp(false))),
      () => signal?.removeEventListener("abort", onAbort),
    ];
    let isOver = false;
    const end = () => {
      for (const stop of ends.splice(0)) stop();
    };
    const resolve = (value: T) => {
      if (isOver) return;
      isOver = true;
      end();
      done(value);
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    ends.push(...listen(resolve));
    if (isOver) end();
  });
}
