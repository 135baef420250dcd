import type { Effect, Failed, Failure } from "@toolpact/contract";
import { isByPerson } from "@toolpact/contract/internal/guards";
import type { MutationRecord } from "../call/call-context.ts";
import type { MutationCall } from "../call/mutation.ts";
import { findStop, stoppedByPerson } from "../stop/stop.ts";

/** Refuses changes while everything is stopped. A person may still take back what was done. */
export async function stopRefusal(
  { context, caller, effect }: MutationCall,
  record: MutationRecord,
): Promise<Failed<Failure> | undefined> {
  const { account, release } = context;
  const found = await findStop(account.store.db, account.account);
  const isPerson = isByPerson(caller) && release?.isByAgent !== true;
  if (found === undefined || (isPerson && TAKES_BACK.has(effect))) return undefined;
  record.decision = "deny";
  record.ruleId = "stop";
  return stoppedByPerson(found);
}

const TAKES_BACK: ReadonlySet<Effect> = new Set(["undo", "delete"]);
