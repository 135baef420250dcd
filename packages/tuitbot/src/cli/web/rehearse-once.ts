import type { Failure } from "@toolpact/contract";
import type { Outcome } from "@toolpact/outcome";
import { errors } from "../../errors.ts";
import type { Rehearsal } from "../../rehearsal/rehearsal.ts";
import type { CommandSession } from "./command-session.ts";

let isRehearsing = false;

/** Rehearses, one at a time in this process. It ends when whoever asked goes away. */
export async function rehearseOnce(
  { db, workflow, config, approvals, signal }: CommandSession,
  days: number,
): Promise<Outcome<Rehearsal, Failure>> {
  if (isRehearsing)
    return errors.fail("validation_error", "A rehearsal is under way here.", {
      suggestedFix: "Wait until it has ended.",
      fixBy: "human",
    });
  isRehearsing = true;
  try {
    const { rehearse } = await import("../../rehearsal/rehearse.ts");
    return await rehearse({ db, workflow, config, approvalKey: approvals.key }, { days, signal });
  } finally {
    isRehearsing = false;
  }
}
