import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject, PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import type { Problem } from "../../api/problem.ts";
import { forgetUnsaved, keepUnsaved, unsavedAt, unsavedKey } from "../../api/unsaved.ts";
import { parseJson } from "../../format/json.ts";
import { Counter } from "../../parts/counter.tsx";
import { Difference } from "../../parts/difference.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";
import { argumentsWith, textsOf } from "./item-content.ts";

interface Props {
  readonly item: PendingItem;
  readonly isBusy: boolean;
  /** Label of the save button. */
  readonly save?: string;
  /** Who has to approve the edit. */
  readonly note?: string;
  /** Text that was typed earlier and not saved. */
  readonly begun?: readonly string[] | undefined;
  /** Called on every change; with undefined once nothing differs. */
  readonly onType?: (texts: readonly string[] | undefined) => void;
  readonly onSave: (args: JsonObject) => void;
  readonly onCancel: () => void;
}

/** Changes what an item would send, and shows the difference while it is typed. */
export function EditPanel(props: Props): JSX.Element {
  const {
    item,
    isBusy,
    save: saveWords = words.inbox.editSave,
    note,
    begun,
    onType,
    onSave,
    onCancel,
  } = props;
  const hasTexts = argumentsWith(item, []) !== undefined;
  const before = hasTexts ? textsOf(item) : [JSON.stringify(item.args, null, 2)];
  const [texts, setTexts] = useState(begun?.length === before.length ? begun : before);
  const [problem, setProblem] = useState<Problem>();
  const isChanged = texts.some((text, index) => text !== before[index]);
  function type(next: readonly string[]) {
    setTexts(next);
    onType?.(next.some((text, index) => text !== before[index]) ? next : undefined);
  }
  function save() {
    const args = hasTexts ? argumentsWith(item, texts) : parsed(texts[0] ?? "");
    if (args === undefined) setProblem({ code: "invalid_input", message: words.inbox.editNotJson });
    else onSave(args);
  }
  function keys(event: KeyboardEvent) {
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && isChanged) save();
  }
  return (
    <form
      class="card acts-on edit fade"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {texts.map((text, index) => (
        <label class="field" key={index}>
          <span>
            {!hasTexts
              ? words.inbox.editJson
              : texts.length > 1
                ? words.post.part(index + 1, texts.length)
                : words.inbox.editTitle}
          </span>
          <textarea
            rows={Math.min(12, Math.max(3, Math.ceil(text.length / 60)))}
            value={text}
            dir="auto"
            ref={index === 0 ? focusEnd : null}
            onKeyDown={keys}
            onInput={({ currentTarget: { value } }) => type(texts.with(index, value))}
          />
          {hasTexts && <Counter text={text} limit={item.posts[index]?.limit ?? 280} />}
        </label>
      ))}
      <div class="field" aria-live="polite">
        <span>{words.inbox.editDifference}</span>
        {isChanged ? (
          texts.map((text, index) =>
            text === before[index] ? null : (
              <Difference key={index} before={before[index] ?? ""} after={text} />
            ),
          )
        ) : (
          <p class="soft small">{words.inbox.editNoDifference}</p>
        )}
      </div>
      {note !== undefined && <p class="soft small">{note}</p>}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || !isChanged}>
          {saveWords}
          <kbd>Ctrl ↵</kbd>
        </button>
        <button type="button" onClick={onCancel}>
          {words.general.cancel}
          <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  );
}

function focusEnd(field: HTMLTextAreaElement | null): void {
  if (field === null || document.activeElement === field) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function parsed(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject) // JSON.parse made it.
    : undefined;
}

/** Keeps what was typed over the texts of an item; undefined is nothing. */
export function keepEdit(here: SignedIn, item: PendingItem, texts: readonly string[] | undefined): void {
  const key = unsavedKey(here, "item", item.id);
  if (texts === undefined) forgetUnsaved(key);
  else keepUnsaved(key, { created_at: item.created_at, texts });
}

/** Unsaved changes to the texts of an item. */
export function unsavedEdit(here: SignedIn, item: PendingItem): readonly string[] | undefined {
  const { created_at, texts } = Object(unsavedAt(unsavedKey(here, "item", item.id))) as {
    readonly created_at?: unknown;
    readonly texts?: unknown;
  };
  // A sandbox that was started anew counts from 1 again.
  return created_at === item.created_at && Array.isArray(texts) ? texts : undefined;
}
