import * as z from "zod";
import { type Asks, askFor } from "../ask.ts";
import type { Call } from "../call.ts";
import { yesOrNo } from "../consent.ts";
import type { ClientDecision } from "../guards/approval.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import { personsAnswer } from "../guards/ask-person.ts";
import { protect } from "../guards/protect.ts";
import type { ProtectedCall } from "../guards/protect-options.ts";
import type { Receipt } from "../guards/receipt.ts";
import type { RefusalWords } from "../guards/refusal-codes.ts";
import { quotedClient } from "../guards/shown-item.ts";
import { visibleJson } from "../guards/shown-text.ts";
import { digest, type JsonObject } from "../json.ts";
import {
  type GateContext,
  type GateFacts,
  gateErrors,
  gateFormat,
  gateProduct,
  NOT_RESENT,
} from "./gate-product.ts";
import type { Policy } from "./policy.ts";

/** The guards that the policy puts in front of every tool. `definitionOf` reads a tool's definition from the server. */
export function gateStack(
  { name, askInClient: asks, waitMs, expiresMs, budget }: Policy,
  definitionOf: (tool: string) => Promise<JsonObject | undefined>,
) {
  return gateProduct
    .guardStack("gate")
    .use(
      protect<typeof gateErrors, GateFacts>({
        errors: gateErrors,
        codes: {
          retry: "still_running",
          limit: "limit_reached",
          needsApproval: "waiting_for_person",
          rejected: "rejected_by_person",
          unknownOutcome: "in_doubt",
          conflict: "key_reused",
          budget: "over_budget",
          refused: "gate_error",
          expired: "approval_used",
          changed_since_approval: "tool_changed",
          item_used: "approval_used",
          inbox_full: "inbox_full",
          answer_lost: "settled_by_person",
        },
        words,
        once: {
          key: (call) => contextOf(call).key,
          sameCallMs: ({ tool }) => tool.facts.sameCallMs,
          uncertain: ["in_doubt"],
          isDelivered: (call) => contextOf(call).releasedItem === undefined && !call.signal.aborted,
        },
        limits: ({ tool }) => tool.facts.limits,
        budget: { ...budget, price: ({ tool }) => tool.facts.price },
        countsReads: ({ tool: { facts } }) => facts.price > 0 || facts.limits.length > 0,
        approval: {
          needs: ({ tool }) => tool.facts.rule === "person",
          reason: ({ tool }) =>
            tool.facts.isNamed
              ? `The policy requires approval of ${tool.name}.`
              : `The policy does not name ${tool.name}, so it requires approval.`,
          binds: async ({ tool }) => boundDefinition(await definitionOf(tool.name)),
          expiresMs,
          waitMs,
          onWait: (call, { id }, times) =>
            call.progress({ done: times, message: `Waiting for approval of item ${id}.` }),
          ...(asks && { ask: (call, item) => askInClient(call, item, name) }),
          released: (call) => contextOf(call).releasedItem,
        },
      }),
    )
    .use(noteReceipt)
    .answering(gateFormat);
}

/**
 * The definition that an approval holds for: name, description, schemas and hints. A server that gives a tool another
 * meaning after the approval gets no call. The approver sees the first words of the description.
 */
function boundDefinition(definition: JsonObject | undefined): JsonObject {
  if (definition === undefined) return { definition: null };
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  const bound = [name, title, description, inputSchema, outputSchema, annotations].map(
    (part) => part ?? null,
  );
  return { description: String(description ?? "").slice(0, MAX_DESCRIPTION), definition: digest(bound) };
}

const MAX_DESCRIPTION = 300;

/** Adds the receipt of a call to the metadata of its answer. */
const noteReceipt = gateProduct.guard<{ requires: ProtectedCall }>({
  name: "note receipt",
  codes: () => [],
  run(call, next) {
    const { receiptId } = call.context;
    if (receiptId !== undefined) call.annotate({ receipt_id: receiptId });
    return next();
  },
});

/** The gate's front end begins every call with this context. */
function contextOf(call: Call<GateFacts>): Partial<GateContext> {
  return call.context;
}

/** The gate sends approved calls itself, and its own commands record unknown outcomes. */
const words: RefusalWords<Receipt> = ({ details }, refusal) => {
  switch (refusal.kind) {
    case "waiting":
      return {
        suggestedFix:
          "It is sent once it is approved. Make the same call with the same arguments later to get its result.",
        details: { ...details, expires_at: new Date(refusal.item.expiresAt).toISOString() },
      };
    case "changed_since_approval":
      return {
        message:
          "The server has changed the definition of this tool since the call was approved. Nothing was sent.",
        suggestedFix: "Make the same call again to request approval for the tool as it is now.",
      };
    case "in_doubt":
      return { suggestedFix: NOT_RESENT };
    case "answer_lost": {
      const { tool, note } = refusal.receipt;
      return {
        message: `${tool} was carried out before, and its answer is lost${note === undefined || note === "" ? "" : ` (${note})`}. It was not sent again.`,
      };
    }
    default:
      return {};
  }
};

/**
 * Asks for approval through the client that calls. Only Yes and No of the form count: a form that was declined or closed
 * leaves the call waiting, since clients without a user do both by themselves.
 */
function askInClient(
  { ask, caller }: Pick<Call, "ask" | "caller">,
  { id, tool, args, digest, reason }: ApprovalItem,
  gate: string,
): Asks | ClientDecision | undefined {
  if (!ask.can("form")) return undefined;
  const reply = ask.reply(APPROVE);
  if (reply.kind === "missing") {
    const message = `Allow ${tool} of ${gate} to be called with exactly these arguments? ${reason} (Item ${id}.)\n\n${visibleJson(args)}`;
    return askFor({ [APPROVE]: { kind: "form", message, schema: FORM } }, { id, digest });
  }
  const shown = z.object({ id: z.literal(id), digest: z.literal(digest) }).safeParse(ask.state);
  const answer = shown.success ? personsAnswer(reply, APPROVE) : "no_answer";
  if (answer === "no_answer") return undefined;
  return { approve: answer === "yes", by: `person via ${quotedClient(caller.client ?? "")}` };
}

const APPROVE = "approve";
const FORM = z.object({
  [APPROVE]: yesOrNo({
    title: "Let this call through?",
    no: "No, reject it",
    yes: "Yes, let it through",
  }),
});
