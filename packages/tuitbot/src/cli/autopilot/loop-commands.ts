import { type CommandOutcome, columns, EXIT } from "@toolpact/cli";
import { formatDuration } from "@toolpact/contract/internal/text";
import { failed, ok } from "@toolpact/outcome";
import { LOOP_NAMES, SANDBOX_LOOPS } from "../../autopilot/pass.ts";
import { switchLoop } from "../../autopilot/progress.ts";
import { type IdleReason, type RunnerState, runnerState } from "../../autopilot/runner-state.ts";
import type { Context } from "../context.ts";
import { withDailySession } from "../daily/daily-session.ts";
import { decider } from "../decider.ts";
import { withCore } from "../with-services.ts";

export function list(context: Context): Promise<CommandOutcome> {
  return withCore(["db", "workflow", "config"], { profile: "write" }, context, async (session, _, server) => {
    const { loops } = await runnerState(session, context.signal);
    return ok({
      text: columns(loops.map((loop) => lineOf(loop, session.workflow.now(), server.isSandbox))),
      json: { loops: loops.map((loop) => ({ ...loop })) },
    });
  });
}

export async function switchTo(loop: string, isOn: boolean, context: Context): Promise<CommandOutcome> {
  const name = LOOP_NAMES.find((known) => known === loop);
  if (name === undefined)
    return failed({
      message: `There is no loop ${JSON.stringify(loop)}. There are ${LOOP_NAMES.join(", ")}.`,
      exitCode: EXIT.usage,
    });
  return withDailySession(context, async ({ db, workflow }) => {
    await switchLoop(db, name, isOn ? undefined : { at: workflow.now(), by: decider() });
    return ok({
      text: isOn
        ? `${name} is on. It runs when it is due.`
        : `${name} is off. A pass that is under way finishes; after it no process runs this loop.`,
      json: { loop: name, on: isOn },
    });
  });
}

function lineOf(
  { name, off, last, last_ran_at, next_at, every_seconds, idle }: RunnerState["loops"][number],
  now: number,
  isSandbox: boolean,
): readonly string[] {
  const ago = last_ran_at === null ? "never ran" : `${formatDuration(now - Date.parse(last_ran_at))} ago`;
  const waitsForRun = isSandbox && last_ran_at === null && !SANDBOX_LOOPS.includes(name);
  const why = idle !== null ? WHY_IDLE[idle] : waitsForRun ? "needs tuitbot run --sandbox" : undefined;
  if (off === null && why !== undefined) return [name, "on", ago, `no effect: ${why}`];
  const did =
    last === null
      ? ""
      : last.status === "failed"
        ? `failed: ${last.message}`
        : Object.entries(last.counts)
            .filter(([, count]) => count > 0)
            .map(([what, count]) => `${count} ${what.replaceAll("_", " ")}`)
            .join(", ");
  const next =
    next_at === null
      ? every_seconds === 0 && off === null
        ? "checks every minute"
        : ""
      : Date.parse(next_at) <= now
        ? "due"
        : `next in ${formatDuration(Date.parse(next_at) - now)}`;
  return [name, off === null ? "on" : `off, by ${off.by}`, ago, next, did];
}

/** Why a loop does nothing under the settings. */
const WHY_IDLE: Readonly<Record<IdleReason, string>> = {
  composer: "in composer mode you write the posts",
  no_model: "no language model is set up: [llm]",
  no_targets: "no accounts are set: targets.accounts",
  no_keywords: "no keywords are set: business.product_keywords",
  no_topics: "no topics are set: business.industry_topics",
};
