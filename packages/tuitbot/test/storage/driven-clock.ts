import type { Clock } from "@toolpact/contract";
import type { Sandbox } from "@toolpact/x-sandbox";

/** A machine's clock that a test moves together with X's, and that can be wrong. */
export interface DrivenClock extends Clock {
  readonly monotonic: () => number;
  /** Time passes for the machine and for X, and timers that are due run. */
  readonly pass: (ms: number) => Promise<void>;
  /** The machine's clock is set forwards or backwards; no time passes. */
  readonly jump: (ms: number) => void;
}

export function drivenClock(sandbox: Sandbox, aheadMs = 0): DrivenClock {
  let passed = 0;
  let wrong = aheadMs;
  const start = sandbox.clock.now();
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => start + passed + wrong,
    monotonic: () => passed,
    after(ms, run) {
      const timer = { at: passed + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      passed += ms;
      sandbox.clock.advance(ms);
      for (const timer of timers) {
        if (timer.at > passed) continue;
        timers.delete(timer);
        timer.run();
      }
      await sandbox.catchUp();
    },
    jump(ms) {
      wrong += ms;
    },
  };
}
