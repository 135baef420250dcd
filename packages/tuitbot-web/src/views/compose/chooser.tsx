import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Medium } from "../../parts/media-grid.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { words } from "../../text/words.ts";

interface LibraryProps {
  readonly onChoose: (file: { readonly file_path: string; readonly alt_text?: string }) => void;
  readonly onClose: () => void;
}

/** Files that were used before, to show again. */
export function Library({ onChoose, onClose }: LibraryProps): JSX.Element {
  const query = useQuery("media-library", () => runCommand("media_library"), ["drafts"]);
  return (
    <Dialog title={words.compose.library.title} onClose={onClose}>
      <Loaded query={query} height={160}>
        {({ files }) =>
          files.length === 0 ? (
            <p class="soft">{words.compose.library.empty}</p>
          ) : (
            <ul class="library">
              {files.map(({ file_path, alt_text }) => (
                <li key={file_path}>
                  <button
                    type="button"
                    class="library-file"
                    aria-label={words.compose.library.add(alt_text ?? words.media.noAltText)}
                    onClick={() => {
                      onChoose({ file_path, ...(alt_text !== null && { alt_text }) });
                      onClose();
                    }}
                  >
                    <Medium path={file_path} altText={alt_text ?? undefined} />
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}

interface SnippetsProps {
  /** The text of the post, to store as a new snippet. */
  readonly text: string;
  readonly mayWrite: boolean;
  readonly onChoose: (text: string) => void;
  readonly onClose: () => void;
}

/** Texts that are used again and again. */
export function Snippets({ text, mayWrite, onChoose, onClose }: SnippetsProps): JSX.Element {
  const query = useQuery("snippets", () => runCommand("snippets"));
  const [problem, setProblem] = useState<Problem>();
  async function change(request: { readonly text: string } | { readonly remove: number }, said?: () => void) {
    const answer = await runCommand("snippets", request);
    setProblem(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return;
    await query.reload();
    said?.();
  }
  return (
    <Dialog title={words.compose.snippets.title} onClose={onClose}>
      <Loaded query={query} height={120}>
        {({ snippets }) =>
          snippets.length === 0 ? (
            <p class="soft">{words.compose.snippets.empty}</p>
          ) : (
            <ul class="rows snippets">
              {snippets.map((snippet) => (
                <li key={snippet.id}>
                  <button
                    type="button"
                    class="row-button"
                    onClick={() => {
                      onChoose(snippet.text);
                      onClose();
                    }}
                  >
                    <span class="entry-said">
                      <Plain text={snippet.text} />
                    </span>
                  </button>
                  <button
                    type="button"
                    class="quiet small square"
                    aria-label={words.compose.snippets.remove(snippet.text.slice(0, 40))}
                    disabled={!mayWrite}
                    onClick={() =>
                      void change({ remove: snippet.id }, () => {
                        const run = () => void change({ text: snippet.text });
                        toast(words.compose.snippets.removed, { label: words.inbox.undo, key: "u", run });
                      })
                    }
                  >
                    <Icon name="trash" size={16} />
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <DialogEnd onClose={onClose}>
        <button
          type="button"
          disabled={!mayWrite || text.trim() === ""}
          onClick={() => void change({ text: text.trim() })}
        >
          <Icon name="plus" size={16} />
          {words.compose.snippets.store}
        </button>
      </DialogEnd>
    </Dialog>
  );
}
