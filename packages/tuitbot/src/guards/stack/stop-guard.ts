import type { Effect } from "@toolpact/contract";
import { isByPerson } from "@toolpact/contract/guards";
import type { Account, CallContext, PlannedMutation, TuitbotGuard } from "../call/call-context.ts";
import { findStop, stoppedByPerson } from "../stop/stop.ts";

interface Required extends Pick<CallContext, "replayed" | "release"> {
  readonly account: Account;
  readonly planned: PlannedMutation | undefined;
}

/**
 * Refuses every change while a person has stopped everything. The person may still take back what was done, and a call
 * that was made before the stop still gets its answer.
 */
export const stop: TuitbotGuard<object, Required> = {
  name: "stop",
  codes: () => ["policy_denied_user_rule"],
  async run({ context, caller, effect }, next) {
    const { planned, replayed, account, release } = context;
    if (planned === undefined || replayed !== undefined) return next();
    const found = await findStop(account.store.db, account.account);
    const isPerson = isByPerson(caller) && release?.isByAgent !== true;
    if (found === undefined || (isPerson && TAKES_BACK.has(effect))) return next();
    planned.record.decision = "deny";
    planned.record.ruleId = "stop";
    return stoppedByPerson(found);
  },
};

const TAKES_BACK: ReadonlySet<Effect> = new Set(["undo", "delete"]);
