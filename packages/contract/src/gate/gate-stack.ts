import { setTimeout } from "node:timers/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { Failure } from "../errors.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import { microsOf, usdOf } from "../guards/money.ts";
import type { Receipt } from "../guards/receipt.ts";
import type { EarlierCall } from "../guards/receipt-storage.ts";
import { sendOnce } from "../guards/send-once.ts";
import { quotedClient } from "../guards/shown-item.ts";
import type { GuardStorage, NotClaimed } from "../guards/storage.ts";
import type { Json } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import { askInClient } from "./ask-in-client.ts";
import { gateFormat } from "./gate-format.ts";
import { type GateContext, type GateFacts, type GateNotes, gateErrors, gateProduct } from "./gate-product.ts";
import type { Policy } from "./policy.ts";

/** The guards that the policy puts in front of every tool. */
export function gateStack(policy: Policy) {
  return gateProduct.guardStack("gate").use(policyGuard(policy)).answering(gateFormat);
}

const POLL_MS = 200;
const PROGRESS_EVERY = 25;

type GateCall = Call<GateFacts, unknown, GateNotes, object>;
type Dependencies = { readonly clock: Clock; readonly guardStorage: GuardStorage };

function policyGuard(policy: Policy) {
  return gateProduct.guard<{ dependencies: Dependencies; adds: { receiptId?: string; itemId?: number } }>({
    name: "policy",
    codes: () => Object.keys(gateErrors.rows),
    async run(call, next, { clock, guardStorage: storage }) {
      const rule = call.tool.facts;
      const { key, releasedItem } = call.context as GateContext;
      const { usdPerDay, usdPerMonth } = policy.budget;
      const needs = {
        costMicros: microsOf(rule.price),
        caps: {
          ...(usdPerDay !== undefined && { perDay: microsOf(usdPerDay) }),
          ...(usdPerMonth !== undefined && { perMonth: microsOf(usdPerMonth) }),
        },
        limits: rule.limits,
      };
      const claim = {
        tool: call.tool.name,
        args: call.input,
        key,
        principal: call.caller.principal,
        needs,
        sameCallMs: rule.sameCallMs,
      };
      const send = async (itemId?: number): Promise<AnyOutcome> => {
        let outcome: AnyOutcome | undefined;
        const sent = await sendOnce(
          storage,
          clock,
          { ...claim, itemId, ...(rule.rule === "read_only" && { isRead: true }) },
          async (receiptId) => {
            call.annotate({ receipt_id: receiptId });
            outcome = await next({ context: { receiptId, ...(itemId !== undefined && { itemId }) } });
            if (outcome.ok === true) return { state: "done", result: outcome.value };
            const { code, message } = outcome.ok === false ? outcome.failure : { code: "", message: "" };
            return { state: code === "in_doubt" ? "in_doubt" : "not_done", note: message };
          },
        );
        if (!sent.ok) return refuse(call, sent.failure, storage, clock);
        const { receiptId } = sent.value;
        if (outcome === undefined) return inDoubt(call, receiptId);
        if (outcome.ok === false)
          return outcome.failure.code === "in_doubt"
            ? inDoubt(call, receiptId)
            : failed({
                ...outcome.failure,
                details: { ...outcome.failure.details, receipt_id: receiptId },
              });
        if (outcome.ok && releasedItem === undefined && !call.signal.aborted)
          await storage.delivered(receiptId);
        return outcome;
      };
      if (rule.rule === "read_only") return rule.price === 0 && rule.limits.length === 0 ? next() : send();
      if (releasedItem !== undefined) return send(releasedItem);
      const now = clock.now();
      const earlier = await storage.earlier(claim, { sameCallMs: rule.sameCallMs, now });
      if (earlier !== undefined) return answerEarlier(call, earlier, storage);
      const trial = await storage.claim({ ...claim, now, leaseMs: 0, receiptId: "", isTrial: true });
      if (!trial.ok) return refuse(call, trial.failure, storage, clock);
      if (rule.rule === "allow") return send();
      const decided = await approval(call, policy, storage, clock);
      return decided.ok ? send(decided.value) : decided.failure;
    },
  });
}

/** The approved item, or the answer instead. */
async function approval(
  call: GateCall,
  policy: Policy,
  storage: GuardStorage,
  clock: Clock,
): Promise<Outcome<number, AnyOutcome>> {
  const now = clock.now();
  const heldUntil = now + policy.waitMs;
  const tool = call.tool.name;
  const proposed = await storage.propose({
    tool,
    args: call.input,
    key: (call.context as GateContext).key,
    principal: call.caller.principal,
    client: call.caller.client,
    reason: call.tool.facts.isNamed
      ? `The policy requires approval of ${tool}.`
      : `The policy does not name ${tool}, so it requires approval.`,
    expiresAt: now + policy.expiresMs,
    heldUntil: heldUntil + 2 * POLL_MS,
    now,
  });
  if (!proposed.ok)
    return failed(
      gateErrors.fail("inbox_full", "Too many calls are waiting for approval. Nothing was sent."),
    );
  let item: ApprovalItem | undefined = proposed.value;
  const { id, digest } = item;
  if (item.status === "waiting" && policy.askInClient) {
    const answer = askInClient(call, item, policy.name);
    if (typeof answer === "object") return failed(answer);
    if (answer !== "no_answer")
      await storage.decide({
        id,
        digest,
        approve: answer === "yes",
        by: `person via ${quotedClient(call.caller.client ?? "")}`,
        note: "",
        now: clock.now(),
      });
    item = await storage.item(id);
  }
  for (
    let polls = 0;
    item?.status === "waiting" && clock.now() < heldUntil && !call.signal.aborted;
    polls++
  ) {
    if (polls % PROGRESS_EVERY === 0)
      call.progress({ done: polls / PROGRESS_EVERY + 1, message: `Waiting for approval of item ${id}.` });
    await setTimeout(POLL_MS, undefined, { signal: call.signal }).catch(() => {});
    item = await storage.item(id);
  }
  if (item?.status === "approved") return ok(id);
  if (item?.status === "rejected")
    return failed(
      gateErrors.fail(
        "rejected_by_person",
        `This call was rejected${item.note === undefined ? "" : `: ${item.note}`}. Nothing was sent. Do not make the same call again.`,
        { details: { item_id: id } },
      ),
    );
  await storage.hold(id, 0);
  return failed(
    gateErrors.fail(
      "waiting_for_person",
      `This call is waiting for approval as item ${id}. Nothing was sent yet; it is sent once it is approved. Make the same call with the same arguments later to get its outcome.`,
      { details: { item_id: id, expires_at: new Date(proposed.value.expiresAt).toISOString() } },
    ),
  );
}

async function answerEarlier(
  call: GateCall,
  { kind, receipt }: EarlierCall<Receipt>,
  storage: GuardStorage,
): Promise<AnyOutcome> {
  const details = {
    receipt_id: receipt.id,
    ...(receipt.itemId !== undefined && { item_id: receipt.itemId }),
  };
  switch (kind) {
    case "running":
      return gateErrors.fail(
        "still_running",
        "The same call is running. Make it again later to get its outcome.",
        {
          details,
        },
      );
    case "in_doubt":
    case "partly_done":
      return inDoubt(call, receipt.id);
    case "key_reused":
      return gateErrors.fail(
        "key_reused",
        `This key belongs to an earlier call of ${receipt.tool} with other arguments. Use another key for another call.`,
        { details },
      );
    case "just_done":
    case "done":
      await storage.delivered(receipt.id);
      if (receipt.result === undefined)
        return gateErrors.fail(
          "settled_by_person",
          `This call was carried out before, and its answer was lost${receipt.note ? ` (${receipt.note})` : ""}. It was not sent again.`,
          { details },
        );
      call.annotate({ receipt_id: receipt.id, replayed: true });
      return ok(JSON.parse(receipt.result) as Json);
  }
}

async function refuse(
  call: GateCall,
  why: NotClaimed,
  storage: GuardStorage,
  clock: Clock,
): Promise<AnyOutcome> {
  switch (why.kind) {
    case "repeat":
      return answerEarlier(call, why.earlier, storage);
    case "item_used":
      return gateErrors.fail(
        "approval_used",
        "The approval of this call was used or has expired. Call again to request a new one.",
      );
    case "limit": {
      const { tool, max, periodMs } = why.limit;
      return gateErrors.fail(
        "limit_reached",
        `At most ${max} calls${tool === undefined ? "" : ` of ${tool}`} are allowed in ${periodMs / 1_000} s. Nothing was sent. Try again at ${new Date(why.resetsAt).toISOString()}.`,
        { retryAfterMs: Math.max(0, why.resetsAt - clock.now()) },
      );
    }
    case "budget":
      return gateErrors.fail(
        "over_budget",
        `The budget of the ${why.cap} is ${usdOf(why.capMicros)} USD, of which ${usdOf(why.spentMicros ?? 0)} USD are spent or held: there is not enough left for ${call.tool.name}. Nothing was sent.`,
      );
  }
}

function inDoubt(call: GateCall, receiptId: string) {
  return failed<Failure>({
    code: "in_doubt",
    message: `This call of ${call.tool.name} was sent, and its answer was lost: it is unknown whether it was carried out. It is not sent again. A person checks and records the result with toolpact gate approve.`,
    details: { receipt_id: receiptId },
  });
}
