import * as z from "zod";
import { type Asks, askFor } from "../ask.ts";
import type { Call } from "../call.ts";
import type { ClientDecision } from "../guards/approval.ts";
import type { ApprovalItem } from "../guards/approval-item.ts";
import { personsAnswer } from "../guards/ask-person.ts";
import { quotedClient } from "../guards/shown-item.ts";
import { visibleJson } from "../guards/shown-text.ts";
import { yesOrNo } from "../yes-or-no.ts";

/**
 * Asks for approval through the client that calls. Only Yes and No of the form count: a form that was declined or closed
 * leaves the call waiting, since clients without a user do both by themselves.
 */
export function askInClient(
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
