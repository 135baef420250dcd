import type { Failure, JsonObject } from "@toolpact/contract";
import { peopleLine } from "@toolpact/contract/internal/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { endRule, learnedRuleIn } from "../approval/learned-rules.ts";
import { findItem } from "../approval/queue.ts";
import { type CallResult, releaseItem } from "../approval/release.ts";
import { waitsForOthers } from "../approval/vote.ts";
import type { Undoable } from "../audit/undoable.ts";
import type { Services } from "./services.ts";

export interface UndoContext extends Pick<Services, "db" | "approvals"> {
  readonly by: string;
  readonly call: (tool: string, args: JsonObject) => Promise<CallResult>;
}

/** If approval is required, the person's decision is it. */
export async function undo(
  { mutation, calls }: Undoable,
  { db, approvals, by, call }: UndoContext,
): Promise<Outcome<undefined, Failure>> {
  for (const { tool, args } of calls) {
    const answer = await call(tool, args);
    if (answer.ok) continue;
    if (answer.ok === false) return failed(answer.failure);
    const item = await findItem(db.store.db, db.account, answer.queued.approval_queue_id);
    if (!item.ok) return item;
    const { id, digest } = item.value;
    const released = await releaseItem(approvals, id, { digest, by });
    if (!released.ok) return released;
    if (waitsForOthers(released.value))
      return failed({
        code: "policy_denied_hard_rule",
        message: `It waits as item ${id}. ${peopleLine(released.value)}`,
      });
  }
  await suspendRuleOf(db, mutation, { by, now: approvals.now() });
  return ok(undefined);
}

/** An undo objects to the rule that let the call through. */
async function suspendRuleOf(
  { store, account }: Services["db"],
  { correlation_id: id, tool_name: tool }: Undoable["mutation"],
  { by, now }: { readonly by: string; readonly now: number },
): Promise<void> {
  const call = await store.db
    .selectFrom("audit")
    .select("rule_id")
    .where("account", "=", account)
    .where("correlation_id", "=", id)
    .executeTakeFirst();
  const rule = learnedRuleIn(call?.rule_id ?? null);
  if (rule === undefined) return;
  const because = `The ${tool} call ${id}, which it let through, was taken back.`;
  await endRule(store.db, account, rule, { by, because, now });
}

/** For `--output json` and the dashboard. */
export function undoableJson({ mutation, client, calls }: Undoable) {
  return {
    id: mutation.correlation_id,
    tool: mutation.tool_name,
    params: mutation.params,
    result: mutation.result,
    at: mutation.created_at,
    client,
    approval_id: mutation.approval_id,
    undo: calls.map(({ tool, args }) => ({ tool, args })),
  };
}
