import { useEffect, useRef, useState } from "preact/hooks";
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
  /** Puts items back that were taken out. */
  readonly recall: (ids: readonly number[]) => void;
}

/**
 * The list as a person sees it. It changes only when they decide or ask for it: what arrives is counted, and what was
 * decided elsewhere stays where it is, marked. The content of an item is always the newest. Where the person has seen
 * nothing yet, because the list is empty or from an earlier visit, all is drawn as it comes.
 */
export function useShownItems(items: readonly PendingItem[], isOld: boolean): ShownItems {
  const [drawn, setDrawn] = useState(items);
  const [forgotten, setForgotten] = useState<ReadonlySet<number>>(new Set());
  const left = items.filter(({ id }) => !forgotten.has(id));
  const wasOld = useRef(isOld);
  const follows = isOld || wasOld.current || drawn.length === 0;
  useEffect(() => {
    if (follows) setDrawn(left);
    wasOld.current = isOld;
  }, [isOld, items]);
  const waiting = new Map(items.map((item) => [item.id, item]));
  const ids = new Set(drawn.map(({ id }) => id));
  return {
    shown: drawn.map((item) => waiting.get(item.id) ?? item),
    arrived: follows ? 0 : left.filter(({ id }) => !ids.has(id)).length,
    showArrived: () => setDrawn(left),
    isGone: (id) => !waiting.has(id),
    forget(gone) {
      setForgotten((old) => new Set([...old, ...gone]));
      setDrawn((old) => old.filter(({ id }) => !gone.includes(id)));
    },
    recall: (back) => setForgotten((old) => new Set([...old].filter((id) => !back.includes(id)))),
  };
}
