import type { Failure } from "@toolpact/contract";
import type { Workflow } from "../app/services.ts";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";
import type { X } from "../x/x.ts";

export interface LoopContext extends Session {
  readonly x: Pick<X, "client" | "access" | "handleKey">;
  readonly config: Config;
  readonly workflow: Workflow;
  /** In [0, 1). */
  readonly random: () => number;
  /** Without a renewal; default as configured. */
  readonly leaseMs?: number;
}

/** Without a renewal; default as configured. */
export function leaseMsOf({ leaseMs, config }: Pick<LoopContext, "leaseMs" | "config">): number {
  return leaseMs ?? config.intervals.runner_lease_seconds * 1_000;
}

export interface Pass extends LoopContext {
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Writes nothing to X, the queue or the loops' progress. */
  readonly isDryRun: boolean;
  /** Avoids bursts between two actions. */
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
  /** Between two runs. */
  readonly everyMs: (config: Config) => number;
  /** Runs only within active hours. */
  readonly keepsHours: boolean;
  /** Does not run while the circuit breaker is open. */
  readonly publishes: boolean;
  /** Begins with a paid read, which a dry run does not send. */
  readonly reads?: true;
  /** Requires a language model in autopilot. */
  readonly writes?: true;
  readonly run: (pass: Pass) => Promise<LoopEnd>;
}

export type LoopEnd =
  | {
      readonly status: "completed";
      readonly counts: Readonly<Record<string, number>>;
      /** From single actions. */
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
