import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import type { Undoable } from "../../api/shapes.ts";
import { UndoQuestion } from "../../parts/undo-question.tsx";

/** Takes back what was done last. */
export function UndoDialog({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
  const [last, setLast] = useState<Undoable>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    void runCommand<{ readonly undoable: readonly Undoable[] }>("undo").then((answer) => {
      if (answer.ok) setLast(answer.value.undoable[0]);
      else setProblem(answer.failure);
    });
  }, []);
  if (last === undefined && problem === undefined) return null;
  return (
    <UndoQuestion
      undoable={last}
      problem={problem}
      onClose={(isDone) => {
        if (isDone) changed();
        onClose();
      }}
    />
  );
}
