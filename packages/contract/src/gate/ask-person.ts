import type { ApprovalItem } from "../durable/approval-item.ts";
import { type PersonsAnswer, personsAnswer } from "../durable/ask-person.ts";
import type { JsonObject } from "../json.ts";
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
        properties: { [APPROVE]: { type: "boolean", title: "Let this call through?" } },
        required: [APPROVE],
      },
    },
  };
  const { id, digest } = item;
  return answerIn(await exchange.ask({ [QUESTION]: question }, { id, digest }));
}

/** What the person has said. The answer is untrusted: only these words of it count. */
export function answerIn(answers: JsonObject): PersonsAnswer {
  const { action, content } = (answers[QUESTION] ?? {}) as JsonObject;
  if (action !== "accept")
    return personsAnswer({ kind: "refused", action: action === "decline" ? action : "cancel" }, APPROVE);
  return personsAnswer({ kind: "accepted", content: (content ?? {}) as JsonObject }, APPROVE);
}

const APPROVE = "approve";
