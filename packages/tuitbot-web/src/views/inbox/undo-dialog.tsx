import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import type { Undoable } from "../../api/shapes.ts";
import { UndoQuestion } from "../../parts/undo-question.tsx";
import { words } from "../../text/words.ts";

interface Props {
  /** The items that were approved. */
  readonly items: readonly number[];
  readonly onClose: () => void;
}

/** Takes back the results of items, whatever was done since. */
export function UndoDialog({ items, onClose }: Props): JSX.Element | null {
  const [found, setFound] = useState<readonly Undoable[]>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    void runCommand("undo").then((answer) => {
      if (!answer.ok) return setProblem(answer.failure);
      const done = answer.value.undoable.filter(({ approval_id }) => items.includes(approval_id ?? 0));
      setFound(done);
      if (done.length === 0) setProblem(words.inbox.notUndoable);
    });
  }, []);
  if (found === undefined && problem === undefined) return null;
  return (
    <UndoQuestion
      undoable={found?.[0]}
      others={found?.slice(1)}
      problem={problem}
      onClose={(isDone) => {
        if (isDone) changed();
        onClose();
      }}
    />
  );
}
