import type { Failure } from "@toolpact/contract";
import type { Outcome } from "@toolpact/outcome";
import type { PersonSession } from "../app/approvals.ts";
import { errors } from "../errors.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";

export type RehearseOnce = (session: PersonSession, days: number) => Promise<Outcome<Rehearsal, Failure>>;

/** Returns a function that rehearses, one rehearsal at a time. A rehearsal ends when its browser goes away. */
export function rehearseOnce(): RehearseOnce {
  let isRehearsing = false;
  return async ({ db, workflow, config, approvals, signal }, days) => {
    if (isRehearsing)
      return errors.fail("validation_error", "A rehearsal is under way here.", {
        suggestedFix: "Wait until it has ended.",
        fixBy: "human",
      });
    isRehearsing = true;
    try {
      const { rehearse } = await import("../rehearsal/rehearse.ts");
      return await rehearse({ db, workflow, config, approvalKey: approvals.key }, { days, signal });
    } finally {
      isRehearsing = false;
    }
  };
}
