import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { LoopContext, LoopEnd, LoopName } from "./pass.ts";
import { tick } from "./tick.ts";

/** The result of a loop in a dry run. */
interface DryLoop {
  readonly name: LoopName;
  readonly status: LoopEnd["status"];
  readonly counts: Readonly<Record<string, number>>;
  /** Why it does nothing, or what would fail. */
  readonly reason: string | null;
}

/** Runs each loop without sending, queuing or measuring anything. */
export async function dryRun(
  context: LoopContext,
  signal: AbortSignal,
): Promise<Outcome<{ readonly loops: readonly DryLoop[]; readonly is_active: boolean }, Failure>> {
  const passed = await tick(context, { isDryRun: true, ignoresSchedule: false }, signal);
  if (!passed.ok) return passed;
  const { loops, isActive } = passed.value;
  return ok({ loops: [...loops].map(([name, end]) => dryLoop(name, end)), is_active: isActive });
}

function dryLoop(name: LoopName, end: LoopEnd): DryLoop {
  switch (end.status) {
    case "completed":
      return { name, status: end.status, counts: end.counts, reason: null };
    case "skipped":
      return { name, status: end.status, counts: {}, reason: end.reason };
    case "failed":
      return { name, status: end.status, counts: {}, reason: end.failure.message };
  }
}
