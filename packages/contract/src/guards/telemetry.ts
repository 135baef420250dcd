import type { Guard } from "../call.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { AnyOutcome } from "../tool.ts";
import { type AuditRecord, ending } from "./audit.ts";

/** How a tool fares: no arguments, no names. */
export type Measurement = Pick<AuditRecord, "at" | "tool" | "action" | "outcome" | "code" | "elapsedMs">;

/** Measures every call. A sink that fails is a warning in the answer, not a failed call. */
export function telemetry(record: (measurement: Measurement) => void, clock: Clock = systemClock): Guard {
  return {
    name: "telemetry",
    codes: [],
    async around(call, next) {
      let outcome: AnyOutcome | undefined;
      try {
        outcome = await next();
        return outcome;
      } finally {
        try {
          record({
            at: call.startedAt,
            tool: call.tool.name,
            action: call.action,
            ...ending(outcome),
            elapsedMs: clock.now() - call.startedAt,
          });
        } catch {
          call.warn("This call could not be measured.");
        }
      }
    },
  };
}
