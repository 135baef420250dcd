import type { CommandOutcome } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import { resumeAll, stopAll, stopText, stopView } from "../../guards/stop/stop.ts";
import type { Context } from "../context.ts";
import { decider } from "../decider.ts";
import { withDailySession } from "./daily-session.ts";

/** Stops everything that is sent to X for the account, in every process. */
export function stopEverything(reason: string | undefined, context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async ({ db, workflow }) => {
    const stop = await stopAll(db.store.db, db.account, { at: workflow.now(), by: decider(), reason });
    return ok({
      text: `Stopped: ${stopText(stop)}.\nNo agent and no loop sends anything to X until you run tuitbot resume. What was sent before can be taken back with tuitbot undo.`,
      json: { stop: stopView(stop) },
    });
  });
}

/** Ends the stop. */
export function resumeEverything(context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async ({ db }) => {
    const isEnded = await resumeAll(db.store.db, db.account);
    return ok({
      text: isEnded ? "Resumed: agents and loops may send again." : "Nothing was stopped.",
      json: { stop: null, resumed: isEnded },
    });
  });
}
