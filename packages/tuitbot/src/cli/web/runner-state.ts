import { isActive } from "../../autopilot/active-hours.ts";
import { allLoops } from "../../autopilot/all-loops.ts";
import { dueAt, progressOf } from "../../autopilot/progress.ts";
import { runnerStatus, runnerView } from "../../drafts/runner.ts";
import { findStop, stopView } from "../../mutation/stop/stop.ts";
import type { RunnerState } from "../../web/api.ts";
import type { DailySession } from "../daily/daily-session.ts";

/** What the loops do now and next. */
export async function runnerState({ db, workflow, config }: DailySession): Promise<RunnerState> {
  const { values, approvalMode } = config;
  const now = workflow.now();
  const stop = await findStop(db.store.db, db.account);
  const loops = await Promise.all(
    allLoops.map(async ({ name, does, everyMs }) => {
      const every = everyMs(values);
      const progress = await progressOf(db, name);
      return {
        name,
        does,
        every_seconds: every / 1_000,
        last_ran_at: progress.ranAt ? new Date(progress.ranAt).toISOString() : null,
        failures: progress.failures,
        // A loop that never ran is due now.
        next_at: every > 0 ? new Date(Math.max(0, dueAt(progress, every, now)) || now).toISOString() : null,
      };
    }),
  );
  return {
    runner: runnerView(await runnerStatus(db, now)),
    stop: stop === undefined ? null : stopView(stop),
    mode: values.mode,
    approval_mode: approvalMode,
    is_active: isActive(values.schedule, now),
    loops,
  };
}
