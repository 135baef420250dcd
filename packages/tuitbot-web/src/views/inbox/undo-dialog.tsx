import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import type { Undoable } from "../../api/shapes.ts";
import { UndoQuestion } from "../../parts/undo-question.tsx";
import { words } from "../../text/words.ts";

interface Props {
  /** The item that was approved. */
  readonly item: number;
  readonly onClose: () => void;
}

/** Takes back what came of an item, whatever was done since. */
export function UndoDialog({ item, onClose }: Props): JSX.Element | null {
  const [found, setFound] = useState<Undoable>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    void runCommand("undo").then((answer) => {
      if (!answer.ok) return setProblem(answer.failure);
      const done = answer.value.undoable.find(({ approval_id }) => approval_id === item);
      setFound(done);
      if (done === undefined) setProblem(words.inbox.notUndoable);
    });
  }, []);
  if (found === undefined && problem === undefined) return null;
  return (
    <UndoQuestion
      undoable={found}
      problem={problem}
      onClose={(isDone) => {
        if (isDone) changed();
        onClose();
      }}
    />
  );
}
