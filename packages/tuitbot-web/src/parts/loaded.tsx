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

/** The result of a query. The previous result stays while a new one cannot be loaded. */
export function Loaded<Value>({ query, children, height = 160 }: Props<Value>): JSX.Element {
  const { value, problem, reload } = query;
  // A banner on every view already reports an unreachable server.
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
