import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { forgetUnsaved, keepUnsaved, unsavedAt } from "../../api/unsaved.ts";
import { words } from "../../text/words.ts";

interface Props {
  /** Keeps the reason while it is typed. */
  readonly unsavedKey: string;
  readonly isBusy: boolean;
  readonly onReject: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks why: the agent reads the reason. */
export function RejectPanel({ unsavedKey: key, isBusy, onReject, onCancel }: Props): JSX.Element {
  const { text: begun } = Object(unsavedAt(key)) as { readonly text?: unknown };
  const [reason, showReason] = useState(typeof begun === "string" ? begun : "");
  function setReason(text: string) {
    showReason(text);
    if (text === "") forgetUnsaved(key);
    else keepUnsaved(key, { text });
  }
  return (
    <form
      class="card acts-on edit fade"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        // Browsers submit a form for Enter alone.
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onReject(reason.trim());
      }}
    >
      <label class="field">
        <b>{words.inbox.rejectTitle}</b>
        <input
          ref={(field) => field?.focus()}
          maxLength={500}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        {words.inbox.rejectReasons.map((text) => (
          <button key={text} type="button" class="small" onClick={() => setReason(text)}>
            {text}
          </button>
        ))}
      </div>
      <p class="soft small">{words.inbox.rejectHint}</p>
      <div class="row">
        <button type="submit" class="danger" disabled={isBusy}>
          {words.inbox.rejectSubmit}
          <kbd>↵</kbd>
        </button>
        <button type="button" onClick={onCancel}>
          {words.general.cancel}
          <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  );
}
