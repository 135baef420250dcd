import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import type { LoopEnd } from "../../autopilot/pass.ts";
import { tick } from "../../autopilot/tick.ts";
import type { Services } from "../../tools/product.ts";
import type { Commands, DryLoop } from "../../web/api.ts";
import type { CommandSession } from "./command-session.ts";

/** What each loop would do now; sends, queues and measures nothing. */
export async function dryRunLoops({
  core,
  db,
  workflow,
  config,
  signal,
}: CommandSession): Promise<Outcome<Commands["dry_run"]["answer"], Failure>> {
  const resolved = await core.services.resolve(["x"], {}, signal);
  if (!resolved.ok) return resolved;
  // Exactly the service that was named.
  const { x } = resolved.value as Pick<Services, "x">;
  const setting = { ...db, x, workflow, config: config.values, random: Math.random };
  const passed = await tick(setting, { isDryRun: true, ignoresSchedule: false }, signal);
  if (!passed.ok) return passed;
  const loops = [...passed.value.loops].map(([name, end]): DryLoop => ({ name, ...dryLoop(end) }));
  return ok({ loops, is_active: passed.value.isActive });
}

function dryLoop(end: LoopEnd): Omit<DryLoop, "name"> {
  switch (end.status) {
    case "completed":
      return { status: end.status, counts: end.counts, reason: null };
    case "skipped":
      return { status: end.status, counts: {}, reason: end.reason };
    case "failed":
      return { status: end.status, counts: {}, reason: end.failure.message };
  }
}
