import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import type { StepRow } from "../../storage/receipt-tables.ts";

export async function updateStep(db: Kysely<Database>, step: StepRow): Promise<void> {
  // Reading back may have been faster; only what is certain replaces what it found.
  const update = step.state === "confirmed" ? confirmStep : endOpenStep;
  await update(db, step.state === "failed" ? { ...step, continues: null } : step);
}

/** Leaves `continues` as it is: while the step was taken for failed, another may have continued from there. */
const confirmStep = prepared(ended);

const endOpenStep = prepared((db, step: StepRow) =>
  ended(db, step).set("continues", step.continues).where("state", "in", ["pending", "unknown"]),
);

function ended(db: Kysely<Database>, step: StepRow) {
  const { account, receipt_id, seq, state, status, answer_text, effect_until, settled_at, makes } = step;
  return db
    .updateTable("steps")
    .set({ state, status, answer_text, effect_until, settled_at, makes })
    .where("account", "=", account)
    .where("receipt_id", "=", receipt_id)
    .where("seq", "=", seq);
}
