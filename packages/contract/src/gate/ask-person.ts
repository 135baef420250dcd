import type { ApprovalItem } from "../guards/approval-item.ts";
import { type PersonsAnswer, personsAnswer } from "../guards/ask-person.ts";
import type { JsonObject } from "../json.ts";
import { yesOrNoSchema } from "../yes-or-no.ts";
import type { Exchange } from "./exchange.ts";
import { QUESTION } from "./forward.ts";
import { questionFor } from "./guarded-calls.ts";

/** Asks the person through the client that calls, where the policy allows it. */
export async function askPerson(
  exchange: Exchange,
  gate: string,
  item: ApprovalItem,
): Promise<PersonsAnswer> {
  const question = {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: questionFor(gate, item),
      requestedSchema: {
        type: "object",
        properties: { [APPROVE]: yesOrNoSchema(CHOICE) },
        required: [APPROVE],
      },
    },
  };
  const { id, digest } = item;
  return answerIn(await exchange.ask({ [QUESTION]: question }, { id, digest }));
}

/**
 * What the person has said. The answer is untrusted: only these words of it count. A form that was declined or closed leaves
 * the call waiting, since clients that run without a person do both by themselves.
 */
export function answerIn(answers: JsonObject): PersonsAnswer {
  const { action, content } = (answers[QUESTION] ?? {}) as JsonObject;
  if (action !== "accept") return "no_answer";
  return personsAnswer({ kind: "accepted", content: (content ?? {}) as JsonObject }, APPROVE);
}

const APPROVE = "approve";
const CHOICE = {
  title: "Let this call through?",
  no: "No, reject it",
  yes: "Yes, let it through",
} as const;
