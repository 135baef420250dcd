import { type Asking, type Asks, askFor, type Failed, type Failure } from "@toolpact/contract";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { ApprovalItem } from "./item.ts";

export interface ConsentSetting {
  /** What the person is asked to agree to. */
  readonly to: "approve" | "reject";
  /** The operator lets the agent decide (`approvals.allow_agent`). */
  readonly allowAgent: boolean;
}

/** Which items were decided, by the content that was shown. */
export interface Consented {
  readonly ok: true;
  readonly items: readonly { readonly id: number; readonly digest: string }[];
  readonly by: "person" | "agent";
}

/**
 * Asks the person behind the client, showing exactly what would be carried out. An agent cannot decide in the
 * person's place: where the client cannot ask, it is told where the person can.
 */
export function askPerson(
  ask: Asking,
  items: readonly ApprovalItem[],
  { to, allowAgent }: ConsentSetting,
): Consented | Asks | Failed<Failure<"policy_denied_hard_rule">> {
  const shown = items.map(({ id, digest }) => ({ id, digest }));
  if (allowAgent) return { ok: true, items: shown, by: "agent" };
  if (!ask.can("form")) return onlyAPerson();
  const form = FORMS[to];
  const reply = ask.reply(to);
  if (reply.kind === "missing") {
    const message = items.map(shownItem).join("\n\n");
    return askFor({ [to]: { kind: "form", message, schema: form } }, shown);
  }
  const agreed = reply.kind === "accepted" && form.safeParse(reply.content).success;
  if (!agreed || reply.content[to] !== true) return notAgreed(to);
  // Only what was on the screen counts, whatever waits by now.
  const seen = seenShape.safeParse(ask.state);
  return seen.success ? { ok: true, items: seen.data, by: "person" } : onlyAPerson();
}

const FORMS = {
  approve: z.object({ approve: z.boolean().meta({ title: "Approve?" }) }),
  reject: z.object({ reject: z.boolean().meta({ title: "Reject?" }) }),
} as const;

const seenShape = z.array(z.object({ id: z.number(), digest: z.string() }));

function onlyAPerson(): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    "Only a person can decide this, and this client cannot ask one. Nothing was sent.",
    {
      reason: "needs_person",
      policyDecision: "denied",
      suggestedFix: "Tell the person to run `tuitbot approve`.",
      fixBy: "human",
    },
  );
}

function notAgreed(to: ConsentSetting["to"]): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail(
    "policy_denied_hard_rule",
    to === "approve"
      ? "The person did not approve. Nothing was sent."
      : "The person did not reject it. It still waits.",
    { reason: "not_approved", policyDecision: "denied", fixBy: "human" },
  );
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
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    SHOWN_AS_IS.has(character)
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

/** Line breaks and tabs, and what joins the parts of an emoji. */
const SHOWN_AS_IS: ReadonlySet<string> = new Set(["\n", "\t", "\u200d"]);
