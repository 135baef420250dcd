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

export const MAX_FILES = 4;
const MAX_ALT_TEXT = 1_000;
const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif,video/mp4,video/quicktime";

export interface Uploads {
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
export function MediaFields({ post, media, uploads, onChange, isOff }: Props): JSX.Element | null {
  const { sending, problem } = uploads;
  const files = media.filter((file) => file.post === post);
  if (files.length === 0 && problem === undefined && sending === 0) return null;
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
              maxLength={MAX_ALT_TEXT}
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
      {sending > 0 && <p class="soft small">{words.media.sending(sending)}</p>}
      {problem !== undefined && <ProblemBox problem={problem} />}
    </fieldset>
  );
}

interface ButtonProps {
  readonly uploads: Uploads;
  /** How many files the post can still take. */
  readonly room: number;
  readonly isOff: boolean;
}

/** Chooses files from this device. */
export function FileButton({ uploads: { add, sending }, room, isOff }: ButtonProps): JSX.Element {
  return (
    <label
      class={isOff ? "button quiet small square disabled" : "button quiet small square"}
      title={words.media.add}
    >
      <Icon name="picture" size={16} />
      <span class="visually-hidden">{words.media.add}</span>
      <input
        class="visually-hidden"
        type="file"
        accept={ACCEPTED}
        multiple
        disabled={isOff || sending > 0}
        onChange={({ currentTarget }) => {
          void add([...(currentTarget.files ?? [])].slice(0, room));
          currentTarget.value = "";
        }}
      />
    </label>
  );
}
