import type { ComponentChildren, JSX } from "preact";
import type { Query } from "../api/query.ts";
import { words } from "../text/words.ts";
import { ProblemBox } from "./problem-box.tsx";

interface Props<Value> {
  readonly query: Query<Value>;
  readonly children: (value: Value) => ComponentChildren;
  /** Height of the space that is kept while it loads, in pixels. */
  readonly height?: number;
}

/** What a query found. What was read before stays while it cannot be read again. */
export function Loaded<Value>({ query, children, height = 160 }: Props<Value>): JSX.Element {
  const { value, problem, reload } = query;
  // While the server cannot be reached, a banner on every view says so.
  const isSaidAlready = value !== undefined && problem?.code === words.problems.unreachable.code;
  return (
    <>
      {problem !== undefined && !isSaidAlready && (
        <ProblemBox problem={problem} onRetry={() => void reload()} />
      )}
      {value !== undefined
        ? children(value)
        : problem === undefined && (
            <div
              class="ghost"
              role="status"
              aria-label={words.general.loading}
              style={{ height: `${height}px` }}
            />
          )}
    </>
  );
}
