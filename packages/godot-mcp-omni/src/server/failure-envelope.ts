import { randomUUID } from "node:crypto";
import type { Failure, JsonObject } from "@toolpact/contract";
import { okEnvelope } from "@toolpact/contract/internal";
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
