import { createHmac } from "node:crypto";
import {
  type Caller,
  type Failure,
  failed,
  type Json,
  type JsonObject,
  type Outcome,
  ok,
} from "@toolpact/contract";
import { canonicalJson, DAY_MS, type Task, type Tasks } from "@toolpact/contract/internal";
import { sameDigest } from "@toolpact/contract/internal/guards";
import { errors } from "../errors.ts";
import { asQueued } from "../guards/approval/ask-for-approval.ts";
import { decisionsAbout } from "../guards/stack/caller-guards.ts";
import { StorageError } from "../storage/storage-error.ts";
import { cleanText } from "../x/untrusted.ts";
import type { QueuedMutation } from "./item.ts";
import { expireOld, findItem, forgetSecrets } from "./queue.ts";
import type { ReleaseContext } from "./release.ts";

export interface TaskSetting {
  /** Undefined without a usable database. */
  readonly open: () => Promise<Pick<ReleaseContext, "store" | "account" | "key" | "now"> | undefined>;
  /** As its tool would have answered. */
  readonly render: (
    item: QueuedMutation,
    outcome: Outcome<Json, Failure>,
    decisions: readonly JsonObject[],
  ) => JsonObject;
}

/**
 * MCP tasks for waiting calls. Their ids are keyed digests for one caller, so nothing is stored, and any
 * server finds them.
 */
export function approvalTasks({ open, render }: TaskSetting): Tasks {
  async function find(id: string, caller: Caller): Promise<{ item: QueuedMutation; task: Task } | undefined> {
    const opened = await open();
    const itemId = Number(/^(\d{1,15})\./.exec(id)?.[1]);
    if (opened === undefined || Number.isNaN(itemId)) return undefined;
    const { store, account, now } = opened;
    if (!sameDigest(id, taskId(opened, itemId, caller))) return undefined;
    await expireOld(store.db, account, now());
    const found = await findItem(store.db, account, itemId);
    if (!found.ok) return undefined;
    const decisions = await decisionsAbout({ store, account }, [itemId]);
    const answered = (outcome: Outcome<Json, Failure>) =>
      render(
        found.value,
        outcome,
        decisions.map(({ view }) => view),
      );
    return { item: found.value, task: taskOf(id, found.value, answered) };
  }

  return {
    async of(tool, { outcome }, caller) {
      const queued = outcome.ok ? asQueued(outcome.value) : undefined;
      if (queued === undefined) return undefined;
      try {
        const opened = await open();
        if (opened === undefined) return undefined;
        const found = await find(taskId(opened, queued.approval_queue_id, caller), caller);
        // A call that publishes a draft waits as another call.
        return found?.item.tool === tool ? found.task : undefined;
      } catch (error) {
        // It already waits, and its answer reports that.
        if (error instanceof StorageError) return undefined;
        throw error;
      }
    },
    find: async (id, caller) => (await find(id, caller))?.task,
    async cancel(id, caller) {
      const found = await find(id, caller);
      const opened = await open();
      if (found === undefined || opened === undefined) return;
      const { store, account, now } = opened;
      const withdrawn = await store.db
        .updateTable("approvals")
        .set({
          status: "expired",
          claim: null,
          decided_at: now(),
          decided_by: `agent via ${caller.transport}`,
        })
        .where("account", "=", account)
        .where("id", "=", found.item.id)
        // A person's decision is final.
        .where("status", "=", "pending")
        .returning(["id", "args_json", "schedule_json"])
        .execute();
      await forgetSecrets(store.db, account, withdrawn);
    },
  };
}

/** For this caller only. */
function taskId(
  { key, account }: Pick<ReleaseContext, "key" | "account">,
  id: number,
  { transport, principal = "" }: Caller,
): string {
  const secret = createHmac("sha256", key)
    .update(canonicalJson(["task", account, id, transport, principal]))
    .digest("base64url");
  return `${id}.${secret}`;
}

function taskOf(
  taskId: string,
  item: QueuedMutation,
  answered: (outcome: Outcome<Json, Failure>) => JsonObject,
): Task {
  const { id, status, createdAt, expiresAt, decidedAt, decidedBy } = item;
  const [message, state] = ((): [string, Task["state"]] => {
    switch (status) {
      case "pending":
        return [`Item ${id} waits for a person.`, { status: "working" }];
      case "approved":
        return [`Item ${id} is approved and goes out at its time.`, { status: "working" }];
      case "releasing":
        return [`Item ${id} is approved and being carried out.`, { status: "working" }];
      case "executed":
        return [
          `A person approved item ${id}, and it is done.`,
          { status: "completed", envelope: answered(ok(item.result ?? null)), failed: false },
        ];
      case "failed":
        return [
          `A person approved item ${id}, and it failed.`,
          { status: "completed", envelope: answered(failed(item.error ?? unknownFailure)), failed: true },
        ];
      case "rejected": {
        const said = rejected(item);
        return [said.message, { status: "completed", envelope: answered(failed(said)), failed: true }];
      }
      case "expired":
        return [
          decidedBy === undefined
            ? `Item ${id} expired before anybody decided.`
            : `Item ${id} was withdrawn.`,
          { status: "cancelled" },
        ];
    }
  })();
  return {
    id: taskId,
    createdAt,
    updatedAt: decidedAt ?? createdAt,
    ttlMs: expiresAt - createdAt + DAY_MS,
    message,
    state,
  };
}

/** For rows written by something else. */
const unknownFailure: Failure = { code: "db_error", message: "Why it failed was not stored." };

function rejected({ id, tool, note }: QueuedMutation): Failure {
  const why = note === undefined ? "without a reason" : `and says: ${JSON.stringify(cleanText(note))}`;
  return errors.fail(
    "policy_denied_user_rule",
    `The person rejected this ${tool} call (item ${id}), ${why}. Nothing was sent.`,
    {
      reason: "rejected_by_person",
      policyDecision: "denied",
      suggestedFix: "Leave it, change what it says, or talk to the person.",
      fixBy: "agent",
      details: { approval_queue_id: id, person_says: note ?? null },
    },
  ).failure;
}
