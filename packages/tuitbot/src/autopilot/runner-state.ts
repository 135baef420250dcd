import { configuredTopics } from "../analytics/topics.ts";
import type { Services } from "../app/services.ts";
import type { Config } from "../config/schema.ts";
import { scoringKeywords } from "../discovery/score.ts";
import { runnerStatus, runnerView } from "../drafts/runner.ts";
import { findStop, stopView } from "../guards/stop/stop.ts";
import { isActive } from "./active-hours.ts";
import { allLoops } from "./all-loops.ts";
import { isHeld } from "./lease.ts";
import { dueAt, type LastRun, progressOf } from "./progress.ts";
import { TICK_LEASE } from "./tick.ts";

/** Last run, next run, and whether switched off. */
export async function runnerState(
  { db, workflow, config }: Pick<Services, "db" | "workflow" | "config">,
  signal: AbortSignal,
) {
  const { values, approvalMode } = config;
  const now = workflow.now();
  const stop = await findStop(db.store.db, db.account);
  const hasWriter = (await workflow.llm(signal)).ok;
  const loops = await Promise.all(
    allLoops.map(async ({ name, does, everyMs, writes = false }) => {
      const every = everyMs(values);
      const progress = await progressOf(db, name);
      const { off, last, ranAt, failures } = progress;
      const isOn = every > 0 && off === undefined;
      return {
        name,
        does,
        /** 0 if it runs in every pass. */
        every_seconds: every / 1_000,
        last_ran_at: ranAt ? new Date(ranAt).toISOString() : null,
        /** In a row. */
        failures,
        /** Null without an interval or when off; now if it never ran. */
        next_at: isOn ? new Date(Math.max(0, dueAt(progress, every, now)) || now).toISOString() : null,
        off: off === undefined ? null : { at: new Date(off.at).toISOString(), by: off.by },
        last: last === undefined ? null : lastView(last),
        /** Requires a language model. */
        writes,
        /** Null if it has an effect. */
        idle: whyIdle(name, writes, values, hasWriter),
      };
    }),
  );
  const lease = await db.store.db
    .selectFrom("leases")
    .select("until")
    .where("account", "=", db.account)
    .where("name", "=", TICK_LEASE)
    .executeTakeFirst();
  return {
    runner: runnerView(await runnerStatus(db, now)),
    stop: stop === undefined ? null : stopView(stop),
    mode: values.mode,
    approval_mode: approvalMode,
    is_active: isActive(values.schedule, now),
    loops,
    at_work: lease !== undefined && isHeld(lease.until, now, values.intervals.runner_lease_seconds * 1_000),
    has_writer: hasWriter,
  };
}

/** Without this setting, a loop has no effect. */
export type IdleReason = "composer" | "no_model" | "no_targets" | "no_keywords" | "no_topics";

function whyIdle(name: string, writes: boolean, config: Config, hasWriter: boolean): IdleReason | null {
  const isPost = name === "content" || name === "threads";
  if (isPost && config.mode === "composer") return "composer";
  if (name === "targets" && config.targets.accounts.length === 0) return "no_targets";
  if (name === "discovery" && scoringKeywords(config).length === 0) return "no_keywords";
  if (isPost && configuredTopics(config).length === 0) return "no_topics";
  return writes && config.mode === "autopilot" && !hasWriter ? "no_model" : null;
}

function lastView(last: LastRun) {
  return last.status === "failed"
    ? { status: last.status, counts: {}, message: last.message }
    : { status: last.status, counts: last.counts, message: last.codes[0] ?? null };
}

export type RunnerState = Awaited<ReturnType<typeof runnerState>>;
