import { ok } from "@toolpact/contract";
import {
  isByPerson,
  MAX_REPORTED,
  type ReportedDecision,
  reportDecisions,
  type WaitingCalls,
} from "@toolpact/contract/internal/guards";
import { orStorageFailure } from "../../storage/storage-error.ts";
import type { Session } from "../../storage/store.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import { cleanText } from "../../x/untrusted.ts";
import { asQueued, ROUTED } from "../approval/ask-for-approval.ts";
import type { CallContext, TuitbotGuard } from "../call/call-context.ts";

interface DecisionsDependencies {
  readonly waitingCalls: WaitingCalls;
}

/** Tells an agent with its next call what people decided about its earlier ones, with their reason or edit, once. */
export const decisions: TuitbotGuard<DecisionsDependencies, Pick<CallContext, "account" | "isOwnCall">> = {
  name: "decisions",
  codes: () => [],
  async run(call, next, { waitingCalls }) {
    const outcome = await next();
    if (outcome.ok && waits(outcome.value)) call.annotate({ policy_decision: ROUTED });
    const { account, isOwnCall } = call.context;
    if (account === undefined || isOwnCall === true || isByPerson(call.caller)) return outcome;
    await reportDecisions(waitingCalls, call.caller, {
      queued: outcome.ok ? asQueued(outcome.value)?.approval_queue_id : undefined,
      async decided(ids) {
        // The call itself has ended, whatever becomes of this.
        const found = await orStorageFailure(async () => ok(await decisionsAbout(account, ids)));
        return found.ok ? found.value : [];
      },
      report: (told) => call.annotate({ decisions: told }),
    });
    return outcome;
  },
};

/** Whether an answer, or one of its results, waits for a person. Nothing of that was sent. */
function waits(answer: unknown): boolean {
  const { policy_decision, results } = objectIn(answer);
  return policy_decision === ROUTED || (Array.isArray(results) && results.some(waits));
}

/** What people decided about these items, as an agent is told. */
export async function decisionsAbout(
  { store, account }: Session,
  ids: readonly number[],
): Promise<readonly ReportedDecision[]> {
  const rows = await store.db
    .selectFrom("approvals")
    .select(["id", "tool", "status", "note"])
    .where("account", "=", account)
    .where("id", "in", ids)
    .where("status", "in", ["executed", "failed", "rejected", "expired"])
    .orderBy("id")
    .limit(MAX_REPORTED)
    .execute();
  const edits = await editsOf(
    { store, account },
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, tool, status, note }) => ({
    id,
    view: {
      approval_queue_id: id,
      tool,
      status,
      ...(note !== null && { person_says: cleanText(note) }),
      ...(edits.has(id) && { edited_to: edits.get(id) }),
    },
  }));
}

/** The last text that a person put in the place of the agent's, or null where it was no text. */
export async function editsOf(
  { store, account }: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom("approval_edits")
    .select(["approval_id", "new_args_json"])
    .where("account", "=", account)
    .where("approval_id", "in", ids)
    .orderBy("id")
    .execute();
  return new Map(
    rows.map(({ approval_id, new_args_json }) => {
      const { text } = Object(JSON.parse(new_args_json)) as { readonly text?: unknown };
      return [approval_id, typeof text === "string" ? cleanText(text) : null];
    }),
  );
}
