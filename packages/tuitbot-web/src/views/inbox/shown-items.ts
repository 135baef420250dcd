import { useState } from "preact/hooks";
import type { PendingItem } from "tuitbot/src/web/api.ts";

interface ShownItems {
  readonly shown: readonly PendingItem[];
  /** How many items came since the list was drawn. */
  readonly arrived: number;
  /** Draws the list as it is now. */
  readonly showArrived: () => void;
  /** Whether an item of the list waits no more, because it was decided elsewhere. */
  readonly isGone: (id: number) => boolean;
  /** Takes items out of the list. */
  readonly forget: (ids: readonly number[]) => void;
}

/**
 * The list as a person sees it. It changes only when they decide or ask for it: what arrives is counted, and what was
 * decided elsewhere stays where it is, marked. The content of an item is always the newest.
 */
export function useShownItems(items: readonly PendingItem[]): ShownItems {
  const [drawn, setDrawn] = useState(items);
  const waiting = new Map(items.map((item) => [item.id, item]));
  const ids = new Set(drawn.map(({ id }) => id));
  const arrivedItems = items.filter(({ id }) => !ids.has(id));
  return {
    shown: drawn.map((item) => waiting.get(item.id) ?? item),
    arrived: arrivedItems.length,
    showArrived: () => setDrawn(items),
    isGone: (id) => !waiting.has(id),
    forget: (gone) => setDrawn((old) => old.filter(({ id }) => !gone.includes(id))),
  };
}
