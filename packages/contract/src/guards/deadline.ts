import type { Guard } from "../call.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { AnyErrorSet } from "../errors.ts";
import { failed } from "../outcome.ts";
import type { AnyOutcome } from "../tool.ts";

/** Answers for a tool that does not answer in its time, and aborts it. */
export function deadline(errors: AnyErrorSet, clock: Clock = systemClock): Guard {
  const code = errors.roles.deadline;
  return {
    name: "deadline",
    codes: [code],
    around(call, next) {
      const controller = new AbortController();
      const abort = () => controller.abort(call.signal.reason);
      if (call.signal.aborted) abort();
      call.signal.addEventListener("abort", abort, { once: true });

      let stop = () => {};
      const late = new Promise<AnyOutcome>((resolve) => {
        stop = clock.after(call.tool.deadlineMs, () => {
          controller.abort(new DOMException("The tool's deadline passed.", "TimeoutError"));
          resolve(
            failed({
              code,
              message: `${call.tool.name} did not finish within ${call.tool.deadlineMs} ms and was stopped.`,
              suggestedFix: "Ask for less, or check whether it took effect before calling again.",
              fixBy: "agent",
            }),
          );
        });
      });
      return Promise.race([next(controller.signal), late]).finally(() => {
        stop();
        call.signal.removeEventListener("abort", abort);
      });
    },
  };
}
