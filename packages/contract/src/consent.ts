import { type Failed, failed } from "@toolpact/outcome";
import * as z from "zod";
import { type Asking, type Asks, askFor } from "./ask.ts";
import type { Failure } from "./errors.ts";

export interface ConsentOptions<Code extends string> {
  /** The planned effect, shown to the user. */
  readonly message: string;
  /** The tool's `confirm` argument, which counts only if the user cannot be asked. */
  readonly confirmed: boolean | undefined;
  readonly code: Code;
  /**
   * True if this yes counts as the user's; by default both do. Over HTTP, any client can declare form support
   * and answer by itself.
   */
  readonly counts?: (yes: "answer" | "argument") => boolean;
}

/**
 * Returns undefined if the user agreed, otherwise the tool's answer. A client with form support always
 * shows the form, so an agent cannot agree for the user.
 *
 * ```ts
 * function run({ confirm }: { confirm?: boolean }, { ask, caller }: RunTools) {
 *   const refusal = requireConsent(ask, {
 *     message: "Delete 3 notes?",
 *     confirmed: confirm,
 *     code: "denied",
 *     counts: (yes) => yes === "answer" && caller.transport === "stdio",
 *   });
 *   return refusal ?? ok({ deleted: 3 });
 * }
 * ```
 */
export function requireConsent<Code extends string>(
  ask: Asking,
  { message, confirmed, code, counts = () => true }: ConsentOptions<Code>,
): Asks | Failed<Failure<Code>> | undefined {
  const refused = (why: string, suggestedFix?: string) =>
    failed<Failure<Code>>({
      code,
      message: `${why}: ${message}`,
      fixBy: "human",
      ...(suggestedFix !== undefined && { suggestedFix }),
    });
  if (ask.unreachable)
    return refused(
      "This needs a person's consent, and the person cannot be asked over this connection",
      "Connect with a session (send initialize first), over stdio, or with a client of protocol 2026-07-28.",
    );
  if (!ask.can("form")) {
    if (!counts("argument"))
      return refused("This needs a person's consent, and this client cannot ask for it");
    if (confirmed === true) return undefined;
    return refused("This needs a person's consent", "Ask the person, then call again with confirm: true.");
  }
  if (!counts("answer"))
    return refused("This needs a person's consent, and an answer through this client does not count");
  const reply = ask.reply(KEY);
  if (reply.kind === "missing") return askFor({ [KEY]: { kind: "form", message, schema: consentForm } });
  const said = reply.kind === "accepted" ? reply.content[KEY] : undefined;
  if (said === "yes") return undefined;
  if (said === "no") return refused("The person did not agree");
  // Clients without a user close or decline forms automatically.
  return refused("Nobody has agreed to this", "Ask the person to answer the form of this client with yes.");
}

const KEY = "confirm";
const consentForm = z.object({ [KEY]: yesOrNo({ title: "Do it?", no: "No", yes: "Yes, do it" }) });

export interface YesOrNo {
  readonly title: string;
  readonly no: string;
  readonly yes: string;
}

/** A choice of no and yes, without a default: some clients preselect yes for a boolean, so Enter would approve. */
export function yesOrNo({ title, no, yes }: YesOrNo) {
  return z.string().meta({
    type: "string",
    title,
    oneOf: [
      { const: "no", title: no },
      { const: "yes", title: yes },
    ],
  });
}
