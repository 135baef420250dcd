import type { JsonObject } from "@toolpact/contract";
import { canonicalJson } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Rollback } from "../guards/call/call-context.ts";
import { withoutOptions } from "../guards/receipts/receipt.ts";
import type { Database } from "../storage/database.ts";
import { objectIn } from "../x/shapes/x-object.ts";
import { type MutationSummary, summaryOf } from "./mutations.ts";

/** With the calls that undo what is left of it. */
export interface Undoable {
  readonly mutation: MutationSummary;
  readonly client: string | null;
  readonly calls: readonly UndoCall[];
  readonly note: string | undefined;
}

export interface UndoCall {
  readonly tool: string;
  readonly args: JsonObject;
}

const MOST = 500;

/** Newest first. An undo is not undone itself. */
export async function undoableMutations(db: Kysely<Database>, account: string): Promise<readonly Undoable[]> {
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .where("account", "=", account)
    .where("status", "=", "success")
    .where("decision", "!=", "local")
    .orderBy("at", "desc")
    .limit(MOST)
    .execute();
  const left: Undoable[] = [];
  for (const row of rows.reverse()) {
    const mutation = summaryOf(row);
    // Arguments are JSON.
    const done = keyOf({ tool: row.tool, args: objectIn(mutation.params) as JsonObject });
    const undone = left.findLastIndex(({ calls }) => calls.some((call) => keyOf(call) === done));
    const entry = left[undone];
    if (entry !== undefined) {
      const calls = entry.calls.filter((call) => keyOf(call) !== done);
      left.splice(undone, 1, ...(calls.length === 0 ? [] : [{ ...entry, calls }]));
      continue;
    }
    // Written as JSON of this shape.
    const rollback = row.rollback_json === null ? undefined : (JSON.parse(row.rollback_json) as Rollback);
    const calls = rollback === undefined ? [] : callsOf(rollback);
    if (calls.length > 0) left.push({ mutation, client: row.client, calls, note: rollback?.note });
  }
  return left.reverse();
}

/** A thread is undone post by post. */
function callsOf({
  reversible,
  undo_tool: tool,
  params = {},
  calls = [params],
}: Rollback): readonly UndoCall[] {
  return reversible && tool !== undefined ? calls.map((args) => ({ tool, args })) : [];
}

function keyOf({ tool, args }: UndoCall): string {
  return `${tool} ${canonicalJson(withoutOptions(args))}`;
}
