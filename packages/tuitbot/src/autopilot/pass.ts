import type { Failure } from "@toolpact/contract";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/session.ts";
import type { Workflow } from "../tools/services/workflow.ts";
import type { X } from "../x/x.ts";

/** What loops need, whoever runs them. */
export interface LoopSetting extends Session {
  readonly x: Pick<X, "client" | "access" | "handleKey">;
  readonly config: Config;
  readonly workflow: Workflow;
  /** 0 to 1, without 1. */
  readonly random: () => number;
}

/** One pass over the loops. */
export interface Pass extends LoopSetting {
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Look, but write nothing to X, to the queue, or about how far a loop has come. */
  readonly isDryRun: boolean;
  /** Between two actions, so that they do not come in a burst. */
  readonly rest: () => Promise<void>;
}

export type LoopName =
  | "scheduled"
  | "mentions"
  | "targets"
  | "discovery"
  | "content"
  | "threads"
  | "analytics"
  | "retention";

export interface Loop {
  readonly name: LoopName;
  readonly does: string;
  /** Shortest time between two runs. */
  readonly everyMs: (config: Config) => number;
  /** Waits for the active hours of the schedule. */
  readonly keepsHours: boolean;
  /** May publish, so that it rests while the circuit breaker is open. */
  readonly publishes: boolean;
  readonly run: (pass: Pass) => Promise<LoopEnd>;
}

export type LoopEnd =
  | {
      readonly status: "completed";
      readonly counts: Readonly<Record<string, number>>;
      /** Why single things were not done. */
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
