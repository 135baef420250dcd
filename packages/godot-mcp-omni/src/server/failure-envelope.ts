import { randomUUID } from "node:crypto";
import type { Failure, JsonObject } from "@toolpact/contract";
import { type Answer, okEnvelope } from "@toolpact/contract/internal";
import type { Failed } from "@toolpact/outcome";
import { errors } from "../errors.ts";

/** The envelope of a failure that no pipeline rendered. */
export function failureEnvelope(tool: string, outcome: Failed<Failure>): JsonObject {
  const { envelope } = okEnvelope(errors).render(outcome, {
    call: { id: randomUUID(), tool, action: undefined },
    elapsedMs: 0,
    annotations: {},
    warnings: [],
  });
  return envelope ?? {};
}

/** The answer to a call that reaches no pipeline. */
export function failureAnswer(tool: string, outcome: Failed<Failure>): Answer {
  const envelope = failureEnvelope(tool, outcome);
  const text = JSON.stringify(envelope);
  return { kind: "rendered", failed: true, outcome, envelope, text, content: [] };
}
