import type { Guard } from "../call.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { redact } from "../redact.ts";
import type { AnyOutcome } from "../tool.ts";

/** Who did what, and how it ended. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  readonly tool: string;
  readonly action: string | undefined;
  readonly client: string | undefined;
  /** Arguments, secrets taken out. */
  readonly input: JsonObject;
  readonly outcome: "done" | "asked" | "failed";
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

/** Where records go: a file, a table, a log. */
export interface AuditSink {
  /** Resolves when the record is kept. */
  readonly write: (record: AuditRecord) => Promise<void> | void;
}

/**
 * Keeps a record of every call. A record that cannot be kept is a warning in the answer, not a failed call. Put it
 * first in the lane, so that it sees what the other guards answered.
 *
 * ```ts
 * const toStderr = audit({ write: (record) => console.error(JSON.stringify(record)) });
 * ```
 */
export function audit(sink: AuditSink, clock: Clock = systemClock): Guard {
  return {
    name: "audit",
    codes: [],
    async around(call, next) {
      let outcome: AnyOutcome | undefined;
      try {
        outcome = await next();
        return outcome;
      } finally {
        try {
          await sink.write({
            id: call.id,
            at: call.startedAt,
            tool: call.tool.name,
            action: call.action,
            client: call.caller.client,
            input: redact(call.input),
            ...ending(outcome),
            elapsedMs: clock.now() - call.startedAt,
          });
        } catch (error) {
          call.warn(
            `This call could not be written to the audit log: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`,
          );
        }
      }
    },
  };
}

/** How a call ended; one that threw ended through a bug, whose code the pipeline adds to the answer. */
function ending(outcome: AnyOutcome | undefined): Pick<AuditRecord, "outcome" | "code"> {
  if (outcome?.ok === true) return { outcome: "done", code: undefined };
  if (outcome?.ok === null) return { outcome: "asked", code: undefined };
  return { outcome: "failed", code: outcome?.failure.code };
}
