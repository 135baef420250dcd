import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { words } from "../../text/words.ts";

interface Props {
  readonly isBusy: boolean;
  readonly onReject: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks why: the agent reads the reason. */
export function RejectPanel({ isBusy, onReject, onCancel }: Props): JSX.Element {
  const [reason, setReason] = useState("");
  return (
    <form
      class="card acts-on edit fade"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
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
