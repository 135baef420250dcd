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
import { digest, type JsonObject } from "../json.ts";
import type { Tool } from "../tool.ts";
import { argumentParts, partsText } from "./call-parts.ts";
import { checkClient } from "./check-client.ts";
import type { GateCatalog } from "./gate-catalog.ts";
import {
  type Admission,
  decisionOf,
  type GateContext,
  type GateFacts,
  gateErrors,
  gateFormat,
  gateProduct,
  NOT_RESENT,
} from "./gate-product.ts";
import type { SignedInCallers } from "./gate-sign-in.ts";
import { planWords } from "./plan-calls.ts";
import type { Policy, PolicyCaller } from "./policy.ts";
import { hasSecrets } from "./shown-call.ts";
import { admittedBy, type SimilarRules } from "./similar-rules.ts";
import { changeText, partsOf, type ToolChange } from "./tool-definition.ts";
import type { UpstreamCatalog } from "./upstream-catalog.ts";

/** The guards that the policy puts in front of every tool. */
export function gateStack(
  { name, askInClient: asks, waitMs, expiresMs, budget, callers, isWatching }: Policy,
  { serverNamed }: Pick<GateCatalog, "serverNamed">,
  similar: SimilarRules,
  signedIn?: SignedInCallers,
) {
  const callerIn = (principal: string | undefined): PolicyCaller | undefined =>
    callers.find(({ name }) => name === principal) ?? signedIn?.get(principal);
  const catalogOf = ({ facts }: Tool<GateFacts>) => serverNamed(facts.server).catalog;
  return gateProduct
    .guardStack("gate")
    .use(refuseDenied)
    .use(checkClient(signedIn))
    .use(admit(isWatching, similar))
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
        limits: ({ tool, caller: { principal } }) => [
          ...tool.facts.limits,
          ...(callerIn(principal)?.limits ?? []),
        ],
        budget: {
          ...budget,
          price: ({ tool }) => tool.facts.price,
          ...((callers.length > 0 || signedIn !== undefined) && {
            ofCaller: ({ caller }: Call<GateFacts>) => callerIn(caller.principal)?.budget ?? {},
          }),
        },
        countsReads: ({ tool: { facts }, caller: { principal } }) =>
          facts.price > 0 || facts.limits.length > 0 || (callerIn(principal)?.limits.length ?? 0) > 0,
        approval: {
          needs: (call) => decisionOf(call).rule === "person",
          reason: reasonFor,
          binds: async ({ tool }) =>
            boundDefinition(await catalogOf(tool).definitionNow(tool.name), tool.facts.change),
          expiresMs,
          // A plan is submitted, and its calls are sent by the gate.
          waitMs: (call) => (contextOf(call).plan === undefined ? waitMs : 0),
          onWait: (call, { id }, times) =>
            call.progress({ done: times, message: `Waiting for approval of item ${id}.` }),
          ask(call, item) {
            const { admitted } = contextOf(call);
            if (admitted !== undefined) return { approve: true, by: admitted.by };
            return asks ? askInClient(call, item, name) : undefined;
          },
          released: (call) => contextOf(call).releasedItem,
        },
      }),
    )
    .use(noteReceipt)
    .use(acceptTool(catalogOf))
    .answering(gateFormat);
}

/**
 * The definition that an approval holds for: name, description, schemas and hints. A server that gives a tool another
 * meaning after the approval gets no call. The approver sees the first words of the description.
 */
function boundDefinition(definition: JsonObject | undefined, change: ToolChange | undefined): JsonObject {
  if (definition === undefined) return { definition: null };
  return {
    description: String(definition.description ?? "").slice(0, MAX_DESCRIPTION),
    definition: digest(partsOf(definition)),
    ...(change !== undefined && { change: changeText(change) }),
  };
}

function reasonFor(call: Call<GateFacts>): string {
  const { plan } = contextOf(call);
  return `${plan === undefined ? "" : planWords(plan)}${whyAsked(call)}`;
}

function whyAsked(call: Call<GateFacts>): string {
  const { name, facts } = call.tool;
  const { change, entry } = facts;
  if (change !== undefined)
    return change.before === undefined
      ? `${name} is new at this server. Approve it once to admit it${entry === undefined ? "" : ` under the rule for ${entry}`}.`
      : `${name} has changed at this server. Approve it once to admit it as it is now.`;
  if (entry === undefined) return `The policy does not name ${name}, so it requires approval.`;
  const { because, unclear } = decisionOf(call);
  if (unclear !== undefined)
    return `A condition of the policy cannot be evaluated for these arguments: ${unclear.text}`;
  const conditions = facts.steps.flatMap(({ when }) => when?.text ?? []);
  return because === undefined && conditions.length > 0
    ? `The policy requires approval of ${name} unless ${conditions.join(" or ")}.`
    : `The policy requires approval of ${name}${because === undefined ? "" : ` if ${because.text}`}.`;
}

/** Refuses calls that a condition denies. Tools that are denied in any case are not listed. */
const refuseDenied = gateProduct.guard({
  name: "refuse denied",
  codes: () => ["denied_by_policy"],
  async run(call, next) {
    const { rule, because } = decisionOf(call);
    if (call.tool.facts.secrets === "block" && hasSecrets(call.input))
      return gateErrors.fail(
        "denied_by_policy",
        `An argument of ${call.tool.name} looks like a key or a token, which the policy blocks. Nothing was sent.`,
      );
    if (rule !== "deny") return next();
    const why = because === undefined ? "" : ` if ${because.text}`;
    return gateErrors.fail(
      "denied_by_policy",
      `The policy forbids ${call.tool.name}${why}. Nothing was sent.`,
    );
  },
});

/** Decides calls like those that a person decided about, and approves all calls of a gate that only watches. */
function admit(isWatching: boolean, similar: SimilarRules) {
  return gateProduct.guard<{ adds: Pick<GateContext, "admitted"> }>({
    name: "admit",
    codes: () => ["denied_by_policy"],
    async run(call, next) {
      const { tool, input: args, caller, startedAt } = call;
      const isAsked =
        decisionOf(call).rule === "person" &&
        tool.facts.change === undefined &&
        contextOf(call).releasedItem === undefined;
      if (!isAsked) return next({ context: {} });
      if (isWatching) return next({ context: { admitted: WATCHED } });
      const { principal, client } = caller;
      const rule = await similar.deciding({ tool: tool.name, args, principal, client }, startedAt);
      if (rule === undefined) return next({ context: {} });
      const { item, by } = rule.entry;
      if (rule.learned.does === "deny")
        return gateErrors.fail(
          "denied_by_policy",
          `A person rejected calls like this one, and the rule of item ${item} denies them. Nothing was sent.`,
        );
      return next({
        context: {
          admitted: { decision: `similar to ${item}`, by: `${admittedBy(item)} accepted by ${by}` },
        },
      });
    },
  });
}

const WATCHED: Admission = { decision: "watch", by: "the gate, which only watches" };

/** An approved call admits its tool as it was shown. */
function acceptTool(catalogOf: (tool: Tool<GateFacts>) => UpstreamCatalog) {
  return gateProduct.guard<{ requires: ProtectedCall }>({
    name: "accept tool",
    codes: () => [],
    async run(call, next) {
      if (call.tool.facts.change !== undefined) await catalogOf(call.tool).accept(call.tool.name);
      return next();
    },
  });
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
    const message = `Allow ${tool} of ${gate} to be called with exactly these arguments? ${reason} (Item ${id}.)\n\n${partsText(argumentParts(args))}`;
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
