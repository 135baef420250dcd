import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { Counter } from "../../parts/counter.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { Avatar } from "../../parts/post-card.tsx";
import { words } from "../../text/words.ts";
import { Library, Snippets } from "./chooser.tsx";
import {
  type Change,
  type Editing,
  insertPost,
  isLong,
  movePost,
  splitLong,
  splitPost,
  withoutPost,
} from "./editing.ts";
import { FileButton, MAX_FILES, MediaFields, useUploads } from "./media-fields.tsx";

interface Props {
  readonly editing: Editing;
  readonly index: number;
  readonly here: SignedIn;
  readonly mayWrite: boolean;
  readonly onChange: (change: Change) => void;
  /** Called for Ctrl and Enter. */
  readonly onSave: () => void;
}

/** One post of the editor: its text, its files, and its place in the thread. */
export function PostField({ editing, index, here, mayWrite, onChange, onSave }: Props): JSX.Element {
  const { texts, media } = editing;
  const text = texts[index] ?? "";
  const field = useRef<HTMLTextAreaElement>(null);
  const [choosing, setChoosing] = useState<"library" | "snippets">();
  const uploads = useUploads(index + 1, (change) =>
    onChange((now) => ({ ...now, media: change(now.media) })),
  );
  /** Takes files that are pasted or dropped; text goes its usual way. */
  function take(event: Event, files: FileList | undefined) {
    if (!mayWrite || files === undefined || files.length === 0) return;
    event.preventDefault();
    void uploads.add([...files]);
  }
  function insert(snippet: string) {
    const at = field.current?.selectionStart ?? text.length;
    onChange((now) => {
      const all = now.texts[index] ?? "";
      return { ...now, texts: now.texts.with(index, `${all.slice(0, at)}${snippet}${all.slice(at)}`) };
    });
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
  const room = MAX_FILES - media.filter(({ post }) => post === number).length;
  return (
    <li
      onPaste={(event) => take(event, event.clipboardData?.files)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer?.files)}
    >
      <Avatar name={here.account.username ?? here.account.id} isOwn />
      <label class="field">
        <span class={texts.length > 1 ? undefined : "visually-hidden"}>
          {texts.length > 1 ? words.post.part(number, texts.length) : words.compose.post}
        </span>
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
        <Counter text={text} limit={here.post_limit} />
        <span class="grow" />
        {isLong(text) && (
          <button type="button" class="small" onClick={() => onChange((now) => splitLong(now, index))}>
            <Icon name="split" size={16} />
            {words.compose.makeThread}
          </button>
        )}
        {room > 0 && <FileButton uploads={uploads} room={room} isOff={!mayWrite} />}
        {room > 0 &&
          tool("table", words.compose.library.open(number), () => setChoosing("library"), !mayWrite)}
        {tool("copy", words.compose.snippets.open(number), () => setChoosing("snippets"))}
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
      {choosing === "library" && (
        <Library
          onChoose={(file) =>
            onChange((now) => ({ ...now, media: [...now.media, { post: number, ...file }] }))
          }
          onClose={() => setChoosing(undefined)}
        />
      )}
      {choosing === "snippets" && (
        <Snippets text={text} mayWrite={mayWrite} onChoose={insert} onClose={() => setChoosing(undefined)} />
      )}
    </li>
  );
}
