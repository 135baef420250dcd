import { type Failed, failed } from "@toolpact/outcome";
import * as z from "zod";
import { type Asking, type Asks, askFor } from "./ask.ts";
import type { Failure } from "./errors.ts";

export interface ConsentOptions<Code extends string> {
  /** The planned effect, in the words shown to the user. */
  readonly message: string;
  /** The tool's `confirm` argument. It counts only if the user cannot be asked. */
  readonly confirmed: boolean | undefined;
  /** The code of a call without consent. */
  readonly code: Code;
  /**
   * True if the product accepts a yes given this way as the user's: as the client's answer to the question, or as the
   * tool's argument if the client cannot ask. By default both count. Decide by the transport and the
   * principal of the `caller`: over HTTP, any client can declare form support and answer by itself.
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
  // Clients without a user close or decline a form automatically.
  return refused("Nobody has agreed to this", "Ask the person to answer the form of this client with yes.");
}

const KEY = "confirm";
const consentForm = z.object({ [KEY]: yesOrNo({ title: "Do it?", no: "No", yes: "Yes, do it" }) });

/** The titles of the two answers. */
export interface YesOrNo {
  readonly title: string;
  readonly no: string;
  readonly yes: string;
}

/**
 * A form question with the answers yes and no. A choice instead of a check box, because some clients preselect
 * yes for a boolean, and Enter would approve. No comes first and there is no default.
 */
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
