import { failed } from "@toolpact/outcome";
import { type GuardOutcome, guard } from "../call.ts";
import type { Clock } from "../clock.ts";
import { EFFECTS } from "../effects.ts";
import type { AnyErrorSet, FailureDetail } from "../errors.ts";
import type { Tool } from "../tool.ts";
import type { Unprotected } from "./protect-options.ts";

/** Aborts a tool that exceeds its deadline, and answers for it. */
export const deadline = deadlineWith((_tool, errors) => errors.roles.deadline as never);

/** With a code per tool, and advice for calls that change something. */
export function deadlineWith<const Code extends string>(
  codeOf: (tool: Pick<Tool, "needs">, errors: AnyErrorSet) => Code,
  adviceFor: (call: { readonly id: string }) => FailureDetail = () => ({}),
) {
  return guard<{ dependencies: { clock: Clock }; requires: Unprotected }, Code>({
    name: "deadline",
    kind: "deadline",
    codes: (tool, errors) => (Number.isFinite(tool.deadlineMs) ? [codeOf(tool, errors)] : []),
    run(call, next, { clock }) {
      if (!Number.isFinite(call.tool.deadlineMs)) return next();
      const controller = new AbortController();
      const abort = () => controller.abort(call.signal.reason);
      if (call.signal.aborted) abort();
      call.signal.addEventListener("abort", abort, { once: true });
      const rest = next({ signal: controller.signal });

      return new Promise<GuardOutcome<Code>>((resolve, reject) => {
        const stop = clock.after(call.tool.deadlineMs, () => {
          call.answersBefore(rest);
          call.signal.removeEventListener("abort", abort);
          controller.abort(new DOMException("The tool's deadline passed.", "TimeoutError"));
          resolve(
            failed({
              code: codeOf(call.tool, call.errors),
              message: `${call.tool.name} did not finish within ${call.tool.deadlineMs} ms and was stopped.`,
              suggestedFix: "Ask for less, or check whether it took effect before calling again.",
              fixBy: "agent",
              ...(EFFECTS[call.effect].mutates && withEffect(adviceFor(call))),
            }),
          );
        });
        const end = () => {
          stop();
          call.signal.removeEventListener("abort", abort);
        };
        rest.then(
          (outcome) => {
            end();
            resolve(outcome);
          },
          (error) => {
            end();
            reject(error);
          },
        );
      });
    },
  });
}

function withEffect({ details, ...advice }: FailureDetail): FailureDetail {
  return { ...advice, details: { ...details, may_have_taken_effect: true } };
}
