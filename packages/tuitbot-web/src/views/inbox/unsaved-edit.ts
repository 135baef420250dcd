import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { forgetUnsaved, keepUnsaved, unsavedAt, unsavedKey } from "../../api/unsaved.ts";

/** Keeps what was typed over the texts of an item; undefined is nothing. */
export function keepEdit(here: SignedIn, item: PendingItem, texts: readonly string[] | undefined): void {
  const key = unsavedKey(here, "item", item.id);
  if (texts === undefined) forgetUnsaved(key);
  else keepUnsaved(key, { created_at: item.created_at, texts });
}

/** What was typed over the texts of an item, and not saved. */
export function unsavedEdit(here: SignedIn, item: PendingItem): readonly string[] | undefined {
  const { created_at, texts } = Object(unsavedAt(unsavedKey(here, "item", item.id))) as {
    readonly created_at?: unknown;
    readonly texts?: unknown;
  };
  // A sandbox that was started anew counts from 1 again.
  return created_at === item.created_at && Array.isArray(texts) ? texts : undefined;
}
