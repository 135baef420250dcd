import * as z from "zod";
import { type Asking, type Asks, askFor } from "./ask.ts";
import type { Failure } from "./errors.ts";
import { type Failed, failed } from "./outcome.ts";

export interface ConsentOptions<Code extends string> {
  /** What will happen, in the words the person is shown. */
  readonly message: string;
  /** The tool's own `confirm` argument. It counts only where the person cannot be asked. */
  readonly confirmed: boolean | undefined;
  /** The code of a call without consent. */
  readonly code: Code;
}

/**
 * Undefined when the person agreed; otherwise what the tool must answer. A client that can show a form always
 * shows it, so an agent cannot agree in the person's place.
 *
 * ```ts
 * function run({ confirm }: { confirm?: boolean }, { ask }: RunTools) {
 *   const refusal = requireConsent(ask, { message: "Delete 3 notes?", confirmed: confirm, code: "denied" });
 *   return refusal ?? ok({ deleted: 3 });
 * }
 * ```
 */
export function requireConsent<Code extends string>(
  ask: Asking,
  { message, confirmed, code }: ConsentOptions<Code>,
): Asks | Failed<Failure<Code>> | undefined {
  if (!ask.can("form")) {
    if (confirmed === true) return undefined;
    return failed({
      code,
      message: `This needs a person's consent: ${message}`,
      suggestedFix: "Ask the person, then call again with confirm: true.",
      fixBy: "human",
    });
  }
  const reply = ask.reply(KEY);
  if (reply.kind === "missing") return askFor({ [KEY]: { kind: "form", message, schema: consentForm } });
  if (reply.kind === "accepted" && consentForm.safeParse(reply.content).data?.confirm === true)
    return undefined;
  return failed({ code, message: `The person did not agree: ${message}`, fixBy: "human" });
}

const KEY = "confirm";
const consentForm = z.object({ confirm: z.boolean().meta({ title: "Do it?" }) });
