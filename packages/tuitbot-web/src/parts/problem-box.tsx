import type { JSX } from "preact";
import type { Problem } from "../api/problem.ts";
import { words } from "../text/words.ts";
import { Icon } from "./icons.tsx";
import { WithCode } from "./with-code.tsx";

interface Props {
  readonly problem: Problem;
  readonly onRetry?: (() => void) | undefined;
}

/** The error with its cause, then the fix. The rest of the dashboard keeps working. */
export function ProblemBox({ problem, onRetry }: Props): JSX.Element {
  return (
    <div class="problem fade" role="alert">
      <Icon name="warning" />
      <p>
        <WithCode text={problem.message} />
      </p>
      {problem.fix !== undefined && (
        <p>
          <WithCode text={problem.fix} />
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" class="small" onClick={onRetry}>
          {words.general.tryAgain}
        </button>
      )}
    </div>
  );
}
