import type { JSX } from "preact";
import { isStored } from "../../api/unsaved.ts";
import { words } from "../../text/words.ts";
import type { Editing } from "./editing.ts";

interface Props {
  readonly editing: Editing;
  readonly isOnServer: boolean;
  readonly isBusy: boolean;
  readonly onDrop: () => void;
}

/** Tells where an unsaved text is kept, with a button to drop it. */
export function KeptNote({ editing, isOnServer, isBusy, onDrop }: Props): JSX.Element {
  const isKept = isStored.value || isOnServer;
  const text = isOnServer ? words.compose.keptThere : words.compose[isStored.value ? "keptHere" : "notKept"];
  return (
    <p class={isKept && !editing.isBehind ? "row soft small" : "row warn-text small"}>
      {text}
      {editing.isBehind && ` ${words.compose.behind}`}
      <button type="button" class="quiet small" disabled={isBusy} onClick={onDrop}>
        {editing.draft === undefined ? words.compose.discard : words.compose.drop}
      </button>
    </p>
  );
}
