import type { JsonObject } from "../json.ts";
import type { EndedCall, Observer } from "../observer.ts";
import { redact } from "../redact.ts";
import type { AnyOutcome } from "../tool.ts";

/** One call: who did what, and how it ended. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  readonly tool: string;
  readonly action: string | undefined;
  /** As claimed, unless an issuer confirms it. */
  readonly client: string | undefined;
  /** The token's verified owner. */
  readonly principal: string | undefined;
  /** With secrets masked. */
  readonly input: JsonObject;
  readonly outcome: "done" | "asked" | "failed";
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

/** A destination such as a file or table. */
export interface AuditSink {
  /** Resolves when stored. */
  readonly write: (record: AuditRecord) => Promise<void> | void;
}

/**
 * Writes a record of every call, including ones with bad arguments. A record that cannot be written is a warning in the
 * answer, not a failed call. A call that ended after its deadline has a second record with the same id.
 *
 * ```ts
 * const toStderr = audit({ write: (record) => console.error(JSON.stringify(record)) });
 * ```
 */
export function audit<Facts, Plan, Context, Annotations>(
  /** May also read the call itself. */
  sink: {
    write: (
      record: AuditRecord,
      call: EndedCall<Facts, Plan, Context, Annotations>,
    ) => ReturnType<AuditSink["write"]>;
  },
): Observer<Facts, Plan, Context, Annotations> {
  const write: Observer<Facts, Plan, Context, Annotations>["ended"] = (call) => {
    const { id, startedAt, tool, action, caller, input, outcome, elapsedMs, warn } = call;
    const failed = ({ code = "unknown error" }: NodeJS.ErrnoException) =>
      warn(`This call could not be written to the audit log: ${code}.`);
    try {
      const record: AuditRecord = {
        id,
        at: startedAt,
        tool: tool.name,
        action,
        client: caller.client,
        principal: caller.principal,
        input: redact(input),
        ...ending(outcome),
        elapsedMs,
      };
      const written = sink.write(record, call);
      return written instanceof Promise ? written.catch(failed) : undefined;
    } catch (error) {
      // Sinks throw errors; system errors have a code.
      return failed(error as NodeJS.ErrnoException);
    }
  };
  // Compiles its expressions before the first call.
  redact({ text: "" });
  return { name: "audit", ended: write, endedLate: write };
}

function ending(outcome: AnyOutcome): Pick<AuditRecord, "outcome" | "code"> {
  if (outcome.ok === true) return { outcome: "done", code: undefined };
  if (outcome.ok === null) return { outcome: "asked", code: undefined };
  return { outcome: "failed", code: outcome.failure.code };
}
