import { type Asking, type Asks, askFor, type Failed, type Failure, failed } from "@toolpact/contract";
import * as z from "zod";
import type { ApprovalItem } from "./item.ts";

export interface ConsentSetting {
  /** The operator lets the agent approve (`approvals.allow_agent`). */
  readonly allowAgent: boolean;
}

/** Which items were approved, by the content that was shown. */
export interface Consented {
  readonly ok: true;
  readonly approved: readonly { readonly id: number; readonly digest: string }[];
  readonly by: "person" | "agent";
}

/**
 * Asks the person behind the client, showing exactly what would be carried out. An agent cannot approve in the
 * person's place: where the client cannot ask, it is told where the person can.
 */
export function askPerson(
  ask: Asking,
  items: readonly ApprovalItem[],
  { allowAgent }: ConsentSetting,
): Consented | Asks | Failed<Failure> {
  const shown = items.map(({ id, digest }) => ({ id, digest }));
  if (allowAgent) return { ok: true, approved: shown, by: "agent" };
  if (!ask.can("form")) return onlyAPerson();
  const reply = ask.reply(KEY);
  if (reply.kind === "missing") {
    const message = items.map(shownItem).join("\n\n");
    return askFor({ [KEY]: { kind: "form", message, schema: form } }, shown);
  }
  if (reply.kind !== "accepted" || form.safeParse(reply.content).data?.approve !== true) {
    return failed({
      code: "policy_denied_hard_rule",
      reason: "not_approved",
      policyDecision: "denied",
      message: "The person did not approve. Nothing was sent.",
      fixBy: "human",
    });
  }
  // Only what was on the screen counts, whatever waits by now.
  const seen = seenShape.safeParse(ask.state);
  return seen.success ? { ok: true, approved: seen.data, by: "person" } : onlyAPerson();
}

const KEY = "approve";
const form = z.object({ approve: z.boolean().meta({ title: "Approve?" }) });
const seenShape = z.array(z.object({ id: z.number(), digest: z.string() }));

function onlyAPerson(): Failed<Failure> {
  return failed({
    code: "policy_denied_hard_rule",
    reason: "needs_person",
    policyDecision: "denied",
    message: "Only a person can approve, and this client cannot ask one. Nothing was sent.",
    suggestedFix: "Tell the person to run `tuitbot approve`.",
    fixBy: "human",
  });
}

/** An item as a person has to see it: everything that will be sent, to the last character. */
export function shownItem({ id, tool, args, media, reason, estimatedUsd }: ApprovalItem): string {
  return [
    `Item ${id}: ${tool}${estimatedUsd > 0 ? `, about $${estimatedUsd}` : ""}`,
    ...Object.entries(args).map(
      ([name, value]) => `${name}: ${visible(typeof value === "string" ? value : JSON.stringify(value))}`,
    ),
    ...(media.length > 0 ? [`media (SHA-256): ${media.join(", ")}`] : []),
    `Why you are asked: ${reason}`,
  ].join("\n");
}

/** Characters that hide, or turn the order of others around, are spelt out: a person approves what they see. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    SHOWN_AS_IS.has(character)
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

/** Line breaks and tabs, and what joins the parts of an emoji. */
const SHOWN_AS_IS: ReadonlySet<string> = new Set(["\n", "\t", "\u200d"]);
