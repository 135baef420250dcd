import type { JsonObject } from "@toolpact/contract";
import { canonicalJson, redact } from "@toolpact/contract/internal";
import type { Session } from "../../storage/store.ts";
import { withoutOptions } from "../receipts/receipt.ts";
import { lastEqualCall } from "../receipts/receipt-queries.ts";

interface WaitingCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly argsDigest: string;
}

/** Equal calls that this one may repeat, as sentences. */
export async function earlierCalls(session: Session, call: WaitingCall): Promise<readonly string[]> {
  const { store, account } = session;
  const [made, edited] = await Promise.all([
    lastEqualCall(store.db, account, call.argsDigest),
    editedCall(session, call),
  ]);
  return [
    ...(made === undefined
      ? []
      : [
          `The same call ${made.state === "confirmed" ? "was" : "may have been"} carried out at ${timeOf(made.created_at)}.`,
        ]),
    ...(edited === undefined ? [] : [editedText(edited)]),
  ];
}

interface EditedCall {
  readonly id: number;
  readonly status: string;
  readonly decided_at: number | null;
}

function editedText({ id, status, decided_at }: EditedCall): string {
  return status === "executed" && decided_at !== null
    ? `The same call was edited, and carried out as item ${id} at ${timeOf(decided_at)}.`
    : `The same call was edited, and waits as item ${id}.`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** Then carried out, or still waiting. */
async function editedCall(
  { store, account }: Session,
  { tool, input }: WaitingCall,
): Promise<EditedCall | undefined> {
  const edits = await store.db
    .selectFrom("approval_edits")
    .innerJoin("approvals", "approvals.id", "approval_edits.approval_id")
    .select(["approvals.id", "approvals.tool", "approvals.status", "approvals.decided_at"])
    .select("approval_edits.old_args_json")
    .where("approval_edits.account", "=", account)
    .where("approvals.account", "=", account)
    .orderBy("approval_edits.id", "desc")
    .limit(MAX_EDITS)
    .execute();
  // Edits are stored without secrets.
  const wanted = canonicalJson(withoutOptions(redact(input)));
  return edits.find(
    (edit) =>
      edit.tool === tool &&
      OPEN_OR_DONE.has(edit.status) &&
      // Written as JSON of an object.
      canonicalJson(withoutOptions(JSON.parse(edit.old_args_json) as JsonObject)) === wanted,
  );
}

const MAX_EDITS = 100;
const OPEN_OR_DONE: ReadonlySet<string> = new Set(["pending", "approved", "releasing", "executed"]);
