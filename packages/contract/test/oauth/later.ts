import { onTestFinished, vi } from "vitest";

/** Moves the clock of this process, which the server reads. */
export function laterBy(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}
