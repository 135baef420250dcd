import { failed } from "@toolpact/outcome";
import { guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { AnyOutcome } from "../tool.ts";

/** Answers for a tool that does not answer in its time, and aborts it. A tool that ends by itself has no deadline. */
export const deadline = guard<{ dependencies: { clock: Clock } }>({
  name: "deadline",
  codes: ({ deadlineMs }, errors) => (Number.isFinite(deadlineMs) ? [errors.roles.deadline] : []),
  run(call, next, { clock }) {
    if (!Number.isFinite(call.tool.deadlineMs)) return next();
    const controller = new AbortController();
    const abort = () => controller.abort(call.signal.reason);
    if (call.signal.aborted) abort();
    call.signal.addEventListener("abort", abort, { once: true });
    const rest = next({ signal: controller.signal });

    let stop = () => {};
    const late = new Promise<AnyOutcome>((resolve) => {
      stop = clock.after(call.tool.deadlineMs, () => {
        call.answersBefore(rest);
        controller.abort(new DOMException("The tool's deadline passed.", "TimeoutError"));
        resolve(
          failed({
            code: call.errors.roles.deadline,
            message: `${call.tool.name} did not finish within ${call.tool.deadlineMs} ms and was stopped.`,
            suggestedFix: "Ask for less, or check whether it took effect before calling again.",
            fixBy: "agent",
          }),
        );
      });
    });
    return Promise.race([rest, late]).finally(() => {
      stop();
      call.signal.removeEventListener("abort", abort);
    });
  },
});
