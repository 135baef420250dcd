import type { Failure } from "@toolpact/contract";
import type { Workflow } from "../app/services.ts";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";
import type { X } from "../x/x.ts";

/** Dependencies of the loops. */
export interface LoopContext extends Session {
  readonly x: Pick<X, "client" | "access" | "handleKey">;
  readonly config: Config;
  readonly workflow: Workflow;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  /** How long a lease lasts that is not renewed; as configured by default. */
  readonly leaseMs?: number;
}

/** How long a lease lasts that is not renewed. */
export function leaseMsOf({ leaseMs, config }: Pick<LoopContext, "leaseMs" | "config">): number {
  return leaseMs ?? config.intervals.runner_lease_seconds * 1_000;
}

/** One pass over the loops. */
export interface Pass extends LoopContext {
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Read only: write nothing to X, to the approval queue, or about the progress of a loop. */
  readonly isDryRun: boolean;
  /** Waits between two actions to avoid bursts. */
  readonly rest: () => Promise<void>;
}

export const LOOP_NAMES = [
  "scheduled",
  "mentions",
  "targets",
  "discovery",
  "content",
  "threads",
  "analytics",
  "retention",
] as const;

export type LoopName = (typeof LOOP_NAMES)[number];

/**
 * The loops that a server on the sandbox runs by itself. The others search and propose replies, which costs money of the
 * day and fills the queue.
 */
export const SANDBOX_LOOPS: readonly LoopName[] = ["scheduled", "analytics"];

export interface Loop {
  readonly name: LoopName;
  readonly does: string;
  /** Minimum time between two runs. */
  readonly everyMs: (config: Config) => number;
  /** Whether it runs only within the active hours. */
  readonly keepsHours: boolean;
  /** Whether it publishes; if so, it does not run while the circuit breaker is open. */
  readonly publishes: boolean;
  /** Whether it begins with a read that X charges for, which a dry run does not send. */
  readonly reads?: true;
  /** True if it writes texts in autopilot, which requires a language model. */
  readonly writes?: true;
  readonly run: (pass: Pass) => Promise<LoopEnd>;
}

export type LoopEnd =
  | {
      readonly status: "completed";
      readonly counts: Readonly<Record<string, number>>;
      /** Error codes of single actions that failed. */
      readonly codes: readonly string[];
    }
  | { readonly status: "skipped"; readonly reason: string }
  | { readonly status: "failed"; readonly failure: Failure };

export function completed(counts: Readonly<Record<string, number>>, codes: readonly string[] = []): LoopEnd {
  return { status: "completed", counts, codes };
}

export function skipped(reason: string): LoopEnd {
  return { status: "skipped", reason };
}

export function broken({ failure }: { readonly failure: Failure }): LoopEnd {
  return { status: "failed", failure };
}
