import { type Failed, type Failure, type Outcome, ok, systemClock } from "@toolpact/contract";
import { MAX_REASON } from "@toolpact/contract/internal/guards";
import * as z from "zod";
import { latestDecisions, type WaitingKey, waitingPage, waitingView } from "../../approval/agent-view.ts";
import { askPerson, type ItemView } from "../../approval/consent.ts";
import type { QueuedMutation } from "../../approval/item.ts";
import { alreadyDecided, expireOld, findItem, pendingCount, pendingItems } from "../../approval/queue.ts";
import { rejectItem } from "../../approval/reject.ts";
import { releaseItem } from "../../approval/release.ts";
import { guardErrors, xMediaErrors, xThreadErrors } from "../../errors.ts";
import { decisionShape } from "../../guards/approval/decision-view.ts";
import { mediaNames } from "../../guards/approval/media-bytes.ts";
import { writeUp } from "../../profiles.ts";
import type { Session } from "../../storage/store.ts";
import { NOTICE } from "../../x/untrusted.ts";
import { answerPage, pageSize, pageToken } from "../paging.ts";
import { APPS, defineTool } from "../product.ts";

/** Any mutation's, with its guards'. */
const releaseErrors = [...new Set([...xThreadErrors, ...xMediaErrors]), ...guardErrors] as const;

const waiting = z.object({
  id: z.number(),
  action_type: z.string().describe("The tool"),
  params: z.looseObject({}).describe("Exactly what will be carried out"),
  media: z.array(z.string()).describe("SHA-256 of each file"),
  scheduled_for: z.string().optional().describe("When it goes out, if not at once"),
  series: z
    .object({
      repeats: z.string(),
      until: z.string(),
      posts: z.array(z.object({ at: z.string(), text: z.string() })),
    })
    .optional()
    .describe("All the recurring posts that are approved with it"),
  status: z.string(),
  reason: z.string().describe("Why a person is asked"),
  note: z.string().optional().describe("Your note to the approver"),
  matched_rule_id: z.string(),
  estimated_usd: z.number(),
  created_at: z.string(),
  expires_at: z.string(),
  context: z
    .looseObject({})
    .optional()
    .describe("What it is about, as X showed it when it was queued; without what is not known"),
});

const decided = z.object({
  id: z.number(),
  action_type: z.string().describe("The tool"),
  ...decisionShape,
  edited_to: z.string().nullable().optional().describe("The text that the person put in place of yours"),
  decided_at: z.string().optional(),
});

const looking = {
  category: "approval",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
  needs: ["db", "workflow"],
  errors: ["db_error"],
  input: z.strictObject({}),
} as const;

export const listPendingApprovals = defineTool({
  ...looking,
  name: "list_pending_approvals",
  searchWords:
    "approval queue, what waits for approval, what needs a decision, did the person say yes, was my post approved or rejected, what became of my request",
  facts: { everyday: true },
  app: APPS.approval,
  title: "List pending approvals",
  description:
    "What waits for the person, oldest first, and what became of what you asked for: sent (with id and URL), edited, rejected and why. The person decides with `tuitbot approve`.",
  input: z.strictObject({
    limit: pageSize(20, 100),
    pagination_token: pageToken<WaitingKey>(z.tuple([z.enum(["releasing", "pending"]), z.int()])),
  }),
  output: z.object({
    items: z.array(waiting),
    decided: z.array(decided).describe("The latest decisions, newest first; on the first page only"),
    now: z.string(),
    notice: z.string(),
  }),
  handler: async ({ limit, pagination_token: after }, { db, workflow }) => {
    const page = await waitingPage(db, workflow.now(), { limit: limit.entries, after });
    const rest = {
      decided: after === undefined ? await latestDecisions(db) : [],
      now: new Date(workflow.now()).toISOString(),
    };
    const { entries: items, notes } = answerPage(page, limit, waitingView, rest);
    return ok({ notice: NOTICE, items, ...rest }, notes);
  },
});

export const getPendingCount = defineTool({
  ...looking,
  name: "get_pending_count",
  searchWords: "how many wait for approval",
  title: "Count pending approvals",
  description: "Count the calls that wait for a person's approval.",
  output: z.object({ pending_count: z.number() }),
  handler: async (_input, { db, workflow }) =>
    ok({ pending_count: await pendingCount(db.store.db, db.account, workflow.now()) }),
});

const deciding = {
  category: "approval",
  // Deciding twice changes nothing more.
  effect: "update",
  profiles: writeUp,
  /** The longest releasable call. */
  deadlineMs: 900_000,
} as const;

const onItem = z.strictObject({ id: z.int().min(1).describe("Id from list_pending_approvals") });

export const approveItem = defineTool({
  ...deciding,
  name: "approve_item",
  searchWords: "approve the waiting post, ask the person to approve, confirm an item, sign off",
  facts: { everyday: true, isLocal: true, makesCalls: true },
  title: "Ask to approve a call",
  description:
    "Show one waiting call to the person and carry it out, or schedule it, if they approve. You cannot approve it yourself.",
  openWorld: true,
  needs: ["db", "workflow", "approvals"],
  errors: releaseErrors,
  input: onItem,
  output: z.object({
    id: z.number(),
    status: z.literal("approved"),
    result: z.unknown().describe("Null where it goes out later"),
    scheduled_for: z.string().optional(),
  }),
  handler: async ({ id }, { db, workflow, approvals, ask, caller }) => {
    const found = await undecided(db, id, workflow.now());
    if (!found.ok) return found;
    const rules = workflow.approvals;
    const view = await viewOf(db, [found.value], workflow.now());
    const consent = askPerson(ask, [found.value], {
      to: "approve",
      caller,
      rules,
      view,
      realNow: systemClock.now(),
    });
    if (consent.ok !== true) return consent;
    const digest = consent.items[0]?.digest ?? "";
    const released = await releaseItem(approvals, id, { digest, by: consent.by });
    if (released.ok) {
      const { result = null, schedule } = released.value;
      return ok({ id, status: "approved" as const, result, ...(schedule && { scheduled_for: schedule.at }) });
    }
    // A test compares these codes with the mutations'.
    return released as Failed<Failure<(typeof releaseErrors)[number]>>;
  },
});

export const approveAll = defineTool({
  ...deciding,
  name: "approve_all",
  searchWords: "approve everything that waits, ask the person to approve the whole queue",
  facts: { isLocal: true, makesCalls: true },
  title: "Ask to approve all calls",
  description:
    "Show all waiting calls, or those you name, to the person at once, up to max_batch_approve, and carry out those they approve. You cannot approve them yourself.",
  openWorld: true,
  needs: ["db", "workflow", "approvals"],
  errors: ["db_error", "policy_denied_hard_rule"],
  input: z.strictObject({
    ids: z
      .array(z.int().min(1))
      .min(1)
      .max(100)
      .optional()
      .describe("Only these items, such as those of a plan; all if left out"),
  }),
  output: z.object({
    approved: z.number(),
    ids: z.array(z.number()),
    failed: z.array(z.object({ id: z.number(), code: z.string(), message: z.string() })),
    max_batch: z.number(),
  }),
  handler: async ({ ids: named }, { db, workflow, approvals, ask, caller, signal }) => {
    const { maxBatch } = workflow;
    const waiting = await pendingItems(
      db.store.db,
      db.account,
      workflow.now(),
      named ? {} : { limit: maxBatch },
    );
    const items = waiting.filter(({ id }) => named?.includes(id) ?? true).slice(0, maxBatch);
    if (items.length === 0 && ask.state === undefined)
      return ok({ approved: 0, ids: [], failed: [], max_batch: maxBatch });
    const rules = workflow.approvals;
    const view = await viewOf(db, items, workflow.now());
    const consent = askPerson(ask, items, { to: "approve", caller, rules, view, realNow: systemClock.now() });
    if (consent.ok !== true) return consent;
    const ids: number[] = [];
    const failures: { id: number; code: string; message: string }[] = [];
    for (const { id, digest } of consent.items) {
      if (signal.aborted) break;
      const released = await releaseItem(approvals, id, { digest, by: consent.by });
      if (released.ok) ids.push(id);
      else failures.push({ id, code: released.failure.code, message: released.failure.message });
    }
    return ok({ approved: ids.length, ids, failed: failures, max_batch: maxBatch });
  },
});

export const rejectItemTool = defineTool({
  ...deciding,
  name: "reject_item",
  searchWords: "reject a waiting post, withdraw something from the queue, decline an item",
  facts: { isLocal: true },
  title: "Ask to reject a call",
  description:
    "Show one waiting call to the person and remove it from the queue if they reject it. Their reason, if they give one, comes with the answer.",
  openWorld: false,
  needs: ["db", "workflow"],
  errors: ["db_error", "not_found", "validation_error", "policy_denied_hard_rule"],
  input: onItem.extend({
    reason: z
      .string()
      .max(MAX_REASON)
      .optional()
      .describe("The user's reason, if given; they may give another"),
  }),
  output: z.object({ id: z.number(), status: z.literal("rejected"), reason: z.string().nullable() }),
  handler: async ({ id, reason }, { db, workflow, ask, caller }) => {
    const found = await undecided(db, id, workflow.now());
    if (!found.ok) return found;
    const rules = workflow.approvals;
    const view = await viewOf(db, [found.value], workflow.now());
    const consent = askPerson(ask, [found.value], {
      to: "reject",
      caller,
      rules,
      view,
      realNow: systemClock.now(),
    });
    if (consent.ok !== true) return consent;
    const note = consent.reason ?? reason;
    const rejected = await rejectItem(db.store.db, db.account, id, {
      digest: consent.items[0]?.digest ?? "",
      by: consent.by,
      note,
      now: workflow.now(),
    });
    return rejected.ok ? ok({ id, status: "rejected" as const, reason: note ?? null }) : rejected;
  },
});

/** A person can still decide about it. */
async function undecided(
  { store, account }: Session,
  id: number,
  now: number,
): Promise<Outcome<QueuedMutation, Failure<"not_found" | "validation_error">>> {
  await expireOld(store.db, account, now);
  const found = await findItem(store.db, account, id);
  if (!found.ok) return found;
  const { status } = found.value;
  return status === "pending" || status === "failed" ? found : alreadyDecided(found.value);
}

async function viewOf(
  { store, account }: Session,
  items: readonly QueuedMutation[],
  now: number,
): Promise<ItemView> {
  const digests = items.flatMap(({ media }) => media);
  return { account, now, mediaNames: await mediaNames(store.db, account, digests) };
}
