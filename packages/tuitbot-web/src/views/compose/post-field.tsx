import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Counter } from "../../parts/counter.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { words } from "../../text/words.ts";
import { type Change, type Editing, insertPost, movePost, splitPost, withoutPost } from "./editing.ts";
import { MediaFields, useUploads } from "./media-fields.tsx";

interface Props {
  readonly editing: Editing;
  readonly index: number;
  /** The longest post of this account. */
  readonly limit: number;
  readonly mayWrite: boolean;
  readonly onChange: (change: Change) => void;
  /** Called for Ctrl and Enter. */
  readonly onSave: () => void;
}

/** One post of the editor: its text, its files, and its place in the thread. */
export function PostField({ editing, index, limit, mayWrite, onChange, onSave }: Props): JSX.Element {
  const { texts, media } = editing;
  const text = texts[index] ?? "";
  const field = useRef<HTMLTextAreaElement>(null);
  const uploads = useUploads(index + 1, (change) =>
    onChange((now) => ({ ...now, media: change(now.media) })),
  );
  /** Takes files that are pasted or dropped; text goes its usual way. */
  function take(event: Event, files: FileList | undefined) {
    if (!mayWrite || files === undefined || files.length === 0) return;
    event.preventDefault();
    void uploads.add([...files]);
  }
  const tool = (icon: IconName, label: string, run: () => void, isOff = false, turned = "") => (
    <button
      type="button"
      class={`quiet small square ${turned}`}
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={run}
    >
      <Icon name={icon} size={16} />
    </button>
  );
  const number = index + 1;
  return (
    <li
      onPaste={(event) => take(event, event.clipboardData?.files)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer?.files)}
    >
      <label class="field">
        <span>{texts.length > 1 ? words.post.part(number, texts.length) : words.compose.post}</span>
        <textarea
          ref={field}
          rows={Math.min(10, Math.max(texts.length > 1 ? 2 : 4, Math.ceil(text.length / 55)))}
          dir="auto"
          placeholder={index === 0 ? words.compose.placeholder : ""}
          value={text}
          onInput={({ currentTarget: { value } }) =>
            onChange((now) => ({ ...now, texts: now.texts.with(index, value) }))
          }
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSave();
          }}
        />
      </label>
      <p class="row post-tools">
        <Counter text={text} limit={limit} />
        <span class="grow" />
        {tool("split", words.compose.splitPost(number), () =>
          onChange((now) => splitPost(now, index, field.current?.selectionStart ?? text.length)),
        )}
        {tool("plus", words.compose.insertAfter(number), () => onChange((now) => insertPost(now, index + 1)))}
        {texts.length > 1 && (
          <>
            {tool(
              "back",
              words.compose.moveUp(number),
              () => onChange((now) => movePost(now, index, -1)),
              index === 0,
              "up",
            )}
            {tool(
              "next",
              words.compose.moveDown(number),
              () => onChange((now) => movePost(now, index, 1)),
              index === texts.length - 1,
              "down",
            )}
            {tool("trash", words.compose.removePost(number), () =>
              onChange((now) => withoutPost(now, index)),
            )}
          </>
        )}
      </p>
      <MediaFields
        post={number}
        media={media}
        uploads={uploads}
        onChange={(change) => onChange((now) => ({ ...now, media: change(now.media) }))}
        isOff={!mayWrite}
      />
    </li>
  );
}
