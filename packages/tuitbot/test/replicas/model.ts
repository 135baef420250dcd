/** The measured cost of a call: its processor time everywhere, and the time that it waits without computing. */
export interface CallCost {
  readonly cpuMs: number;
  readonly waitMs: number;
}

export interface Predicted {
  readonly callsPerSecond: number;
  readonly meanMs: number;
}

/**
 * Throughput and mean time of calls for so many agents that call without a pause: mean value analysis of a closed
 * queue, with the cores as one station (after Seidmann: one that is faster by the number of cores, and a delay for the
 * rest of the work) and waiting as a delay.
 */
export function predict({ cpuMs, waitMs }: CallCost, cores: number, agents: number): Predicted {
  const served = cpuMs / cores;
  // If other work leaves less than a core, count it as a slower one.
  const delay = waitMs + Math.max(0, cpuMs - served);
  let queued = 0;
  let meanMs = 0;
  for (let n = 1; n <= agents; n++) {
    const atStation = served * (1 + queued);
    meanMs = delay + atStation;
    queued = (n / meanMs) * atStation;
  }
  return { callsPerSecond: (agents / meanMs) * 1_000, meanMs };
}

/** Calls a second at which one part has no core left, whatever else there is more of. */
export function most(cpuMsOfPart: number, cores: number): number {
  return (cores / cpuMsOfPart) * 1_000;
}

/** Jain's index of fairness: 1 where all got the same, 1/n where one got all. */
export function fairness(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}
