import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import type { Undoable } from "../api/shapes.ts";
import { words } from "../text/words.ts";
import { Dialog, DialogEnd } from "./dialog.tsx";
import { Plain } from "./post-text.tsx";
import { ProblemBox } from "./problem-box.tsx";
import { toast } from "./toasts.tsx";
import { toolName } from "./tool-name.ts";

interface Props {
  readonly undoable: Undoable | undefined;
  /** More that is taken back with it. */
  readonly others?: readonly Undoable[] | undefined;
  readonly problem?: Problem | undefined;
  readonly onClose: (isDone: boolean) => void;
}

/** Shows what would be taken back and what does it, and asks. */
export function UndoQuestion({ undoable, others = [], problem: before, onClose }: Props): JSX.Element {
  const [problem, setProblem] = useState(before);
  const [isBusy, setBusy] = useState(false);
  async function undo() {
    if (undoable === undefined) return;
    setBusy(true);
    for (const { id } of [undoable, ...others]) {
      const answer = await runCommand("undo", { id });
      if (answer.ok) continue;
      setBusy(false);
      return setProblem(answer.failure);
    }
    setBusy(false);
    toast(words.inbox.undone);
    onClose(true);
  }
  return (
    <Dialog title={words.inbox.undoTitle} onClose={() => onClose(false)}>
      {undoable !== undefined && (
        <>
          <p class="soft">{words.inbox.undoWhat}</p>
          {[undoable, ...others].map((one) => (
            <blockquote class="quoted" key={one.id}>
              <Plain text={textIn(one)} />
            </blockquote>
          ))}
          <p class="soft small">{undoable.undo.map(({ tool }) => toolName(tool)).join(", ")}</p>
        </>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <DialogEnd onClose={() => onClose(false)}>
        <button
          type="button"
          class="danger"
          disabled={isBusy || undoable === undefined}
          onClick={() => void undo()}
        >
          {words.inbox.undoYes}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** The text or target of a call. */
function textIn({ params, tool }: Undoable): string {
  const { text, tweets } = Object(params) as { readonly text?: unknown; readonly tweets?: unknown };
  if (typeof text === "string") return text;
  return Array.isArray(tweets) ? tweets.join("\n\n") : `${toolName(tool)} ${JSON.stringify(params)}`;
}
