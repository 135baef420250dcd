import type { Clock, Json, JsonObject, Pipeline } from "@toolpact/contract";
import type { AuditLog } from "./audit-log.ts";

/**
 * A pipeline whose every answer is in the log: calls that were refused for their arguments never reach the guards,
 * so they are written here.
 */
export function auditedPipeline(pipeline: Pipeline, log: AuditLog, clock: Clock): Pipeline {
  return {
    async call(request) {
      const at = clock.now();
      const answer = await pipeline.call(request);
      if (answer.kind !== "told" || answer.envelope === undefined) return answer;
      const meta = answer.envelope.meta as JsonObject;
      const id = String(meta.correlationId);
      if (log.has(id)) return answer;
      const error = answer.envelope.error as JsonObject | null;
      try {
        await log.write({
          id,
          at,
          tool: request.tool,
          action: text(request.args.action),
          client: request.caller.client,
          input: request.args,
          outcome: answer.failed ? "failed" : "done",
          code: text(error?.code),
          elapsedMs: clock.now() - at,
        });
      } catch {
        // The answer is an error already; a second one about the log would only hide it.
      }
      return answer;
    },
  };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value.slice(0, 100) : undefined;
}
