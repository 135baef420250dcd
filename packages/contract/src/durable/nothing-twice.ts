import { failed, ok } from "@toolpact/outcome";
import { type Call, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { Failure } from "../errors.ts";
import type { Json } from "../json.ts";
import type { AnyOutcome } from "../tool.ts";
import type { CallNeeds } from "./no-more-than.ts";
import { type ApprovedCall, toolOf } from "./person-decides.ts";
import { sendOnce } from "./send-once.ts";
import type { EarlierCall, Ending, GuardStorage, Needs, NotClaimed } from "./storage.ts";

export interface NothingTwiceOptions {
  /** The product's code for a call that runs already, whose outcome is in doubt, or that is over a limit. */
  readonly code: string;
  /** The argument by which a caller names a call; `idempotency_key` unless given. */
  readonly keyArgument?: string;
  /** For so long an equal call without a key gets the first answer; none unless given. */
  readonly sameCallMs?: number;
  /** Codes of the tool's own failures after which it is not known whether it was done. */
  readonly doubtful?: readonly string[];
}

const NO_NEEDS: Needs = { costMicros: 0, caps: {}, limits: [] };

/**
 * "Nothing twice": a row is stored before a call that changes something runs, with what `noMoreThan` says it takes. A call
 * that ends without an outcome (its process was killed, or the tool failed with a doubtful code) stays in doubt and does not
 * run again before a person has settled it. The same key, or an answer that nobody has got, is answered from the row.
 *
 * ```ts
 * const stack = product
 *   .guardStack("writes")
 *   .use(noMoreThan({ price: () => 0.01, usdPerDay: 5 }))
 *   .use(personDecides({ code: "denied" }))
 *   .use(nothingTwice({ code: "denied" }))
 *   .answering(successEnvelope(errors));
 * ```
 */
export function nothingTwice({
  code,
  keyArgument = "idempotency_key",
  sameCallMs = 0,
  doubtful = [],
}: NothingTwiceOptions) {
  return guard<{
    dependencies: { clock: Clock; guardStorage: GuardStorage };
    requires: Partial<CallNeeds> & ApprovedCall;
  }>({
    name: "nothing twice",
    codes: () => [code],
    async run(call, next, { clock, guardStorage }) {
      if (!EFFECTS[call.effect].mutates) return next();
      const { needs = NO_NEEDS, approvedItem } = call.context;
      const key = call.input[keyArgument];
      let outcome: AnyOutcome | undefined;
      let thrown: { readonly error: unknown } | undefined;
      const claim = {
        tool: toolOf(call),
        args: call.input,
        key: typeof key === "string" ? key : undefined,
        principal: call.caller.principal,
        itemId: approvedItem,
        needs,
        sameCallMs,
      };
      const sent = await sendOnce(guardStorage, clock, claim, async () => {
        try {
          outcome = await next();
          return endingOf(outcome, doubtful);
        } catch (error) {
          thrown = { error };
          return { state: "in_doubt", note: "The tool failed through a defect." };
        }
      });
      // A bug is reported by the pipeline; what the tool did before it is in doubt.
      if (thrown !== undefined) throw thrown.error;
      if (!sent.ok) return answerTo(call, sent.failure, guardStorage, code);
      const { receiptId, ending } = sent.value;
      if (outcome === undefined) return inDoubt(code, toolOf(call), receiptId);
      if (ending.state === "done" && !call.signal.aborted) await guardStorage.delivered(receiptId);
      return outcome;
    },
  });
}

function endingOf(outcome: AnyOutcome, doubtful: readonly string[]): Ending {
  if (outcome.ok === true) return { state: "done", result: JSON.stringify(outcome.value) };
  if (outcome.ok === null) return { state: "not_done", note: "It has asked a question." };
  const { code, message } = outcome.failure;
  return { state: doubtful.includes(code) ? "in_doubt" : "not_done", note: message };
}

async function answerTo(
  call: Pick<Call, "tool" | "action">,
  why: NotClaimed,
  storage: GuardStorage,
  code: string,
): Promise<AnyOutcome> {
  const refused = (message: string, more: Partial<Failure> = {}) =>
    failed<Failure>({ code, message, ...more });
  switch (why.kind) {
    case "repeat":
      return answerEarlier(call, why.earlier, storage, code);
    case "item_used":
      return refused("The approval of this call was used or has expired. Nothing was done.", {
        reason: "item_used",
      });
    case "limit":
      return refused(
        `At most ${why.limit.max} calls are allowed in ${why.limit.periodMs / 1_000} s. Nothing was done.`,
        {
          reason: "limit",
          rateLimitReset: new Date(why.resetsAt).toISOString(),
        },
      );
    case "budget":
      return refused(`The budget of the ${why.cap} does not suffice for this call. Nothing was done.`, {
        reason: "budget",
        fixBy: "operator",
      });
  }
}

async function answerEarlier(
  call: Pick<Call, "tool" | "action">,
  { kind, receipt }: EarlierCall,
  storage: GuardStorage,
  code: string,
): Promise<AnyOutcome> {
  const details = { receipt_id: receipt.id };
  switch (kind) {
    case "running":
      return failed({ code, reason: "running", message: "The same call is being carried out.", details });
    case "in_doubt":
      return inDoubt(code, toolOf(call), receipt.id);
    case "key_reused":
      return failed({
        code,
        reason: "key_reused",
        message: "This key belongs to a call with other arguments.",
        details,
      });
    case "done":
      await storage.delivered(receipt.id);
      // Stored above from a value of this tool.
      if (receipt.result !== undefined) return ok(JSON.parse(receipt.result) as Json);
      return failed({
        code,
        reason: "settled_by_person",
        message:
          "This call was carried out before and its answer was lost, as a person has found. It was not done again.",
        details,
      });
  }
}

function inDoubt(code: string, tool: string, receiptId: string): AnyOutcome {
  return failed({
    code,
    reason: "in_doubt",
    message: `It is not known whether ${tool} was carried out. It is not done again before a person has settled it.`,
    fixBy: "human",
    details: { receipt_id: receiptId },
  });
}
