import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { sendFile } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { Icon } from "../../parts/icons.tsx";
import { Medium } from "../../parts/media-grid.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";
import type { MediaFile } from "./editing.ts";

interface Props {
  /** Which post of the draft, from 1. */
  readonly post: number;
  readonly media: readonly MediaFile[];
  readonly uploads: Uploads;
  /** Given the files that there are by then. */
  readonly onChange: (change: (media: readonly MediaFile[]) => readonly MediaFile[]) => void;
  readonly isOff: boolean;
}

const MOST_FILES = 4;
const MOST_ALT_TEXT = 1_000;
const TAKEN = "image/jpeg,image/png,image/webp,image/gif,video/mp4,video/quicktime";

interface Uploads {
  readonly add: (chosen: readonly File[]) => Promise<void>;
  /** How many files are being stored. */
  readonly sending: number;
  readonly problem: Problem | undefined;
}

/** Stores files that are chosen, pasted or dropped, for one post. */
export function useUploads(post: number, onChange: Props["onChange"]): Uploads {
  const [problem, setProblem] = useState<Problem>();
  const [sending, setSending] = useState(0);
  async function add(chosen: readonly File[]) {
    setProblem(undefined);
    setSending(chosen.length);
    for (const file of chosen) {
      const stored = await sendFile(file);
      setSending((left) => left - 1);
      if (!stored.ok) {
        setProblem(stored.failure);
        continue;
      }
      onChange((now) => [...now, { post, file_path: stored.value.file_path }]);
    }
    setSending(0);
  }
  return { add, sending, problem };
}

/** The files of one post, each with its alt text. */
export function MediaFields({ post, media, uploads, onChange, isOff }: Props): JSX.Element {
  const { add, sending, problem } = uploads;
  const files = media.filter((file) => file.post === post);
  return (
    <fieldset class="media-fields" aria-label={words.media.files}>
      {files.map((file) => (
        <div class="media-field" key={file.file_path}>
          <Medium path={file.file_path} altText={file.alt_text} />
          <label class="field">
            <span>{words.media.altText}</span>
            <textarea
              rows={2}
              dir="auto"
              maxLength={MOST_ALT_TEXT}
              placeholder={words.media.altTextHint}
              value={file.alt_text ?? ""}
              disabled={isOff}
              onInput={({ currentTarget: { value } }) =>
                onChange((now) => now.map((one) => (one === file ? { ...one, alt_text: value } : one)))
              }
            />
          </label>
          <button
            type="button"
            class="quiet small square"
            aria-label={words.media.remove}
            disabled={isOff}
            onClick={() => onChange((now) => now.filter((one) => one !== file))}
          >
            <Icon name="trash" size={16} />
          </button>
        </div>
      ))}
      {problem !== undefined && <ProblemBox problem={problem} />}
      {files.length < MOST_FILES && (
        <label class={isOff ? "button small disabled" : "button small"}>
          <Icon name="picture" size={16} />
          {sending > 0 ? words.media.sending(sending) : words.media.add}
          <input
            class="visually-hidden"
            type="file"
            accept={TAKEN}
            multiple
            disabled={isOff || sending > 0}
            onChange={({ currentTarget }) => {
              void add([...(currentTarget.files ?? [])].slice(0, MOST_FILES - files.length));
              currentTarget.value = "";
            }}
          />
        </label>
      )}
    </fieldset>
  );
}
