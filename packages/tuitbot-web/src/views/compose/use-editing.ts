import { useEffect, useRef, useState } from "preact/hooks";
import type { SignedIn, UnsavedText } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Draft } from "../../api/shapes.ts";
import {
  forgetUnsaved,
  isOfKind,
  keepUnsaved,
  onUnsavedElsewhere,
  unsavedAt,
  unsavedKey,
  unsavedOf,
} from "../../api/unsaved.ts";
import { elsewhere, forgetElsewhere, onServer } from "../../api/unsaved-sync.ts";
import {
  type Change,
  type Editing,
  editingOf,
  hasSameContent,
  isUnsaved,
  NEW,
  withLatest,
} from "./editing.ts";

/** One text in the editor, from when it was opened until another is. */
export interface Opened {
  readonly number: number;
  /** Its name while it is not stored as a draft. */
  readonly fresh: string;
  readonly editing: Editing;
  /** The text replaced by other words, and its storage key. */
  readonly replaced?: { readonly before: Editing; readonly aside: string | undefined } | undefined;
}

/** A text that is kept in this browser. */
export interface Kept {
  readonly key: string;
  readonly fresh: string;
  readonly editing: Editing;
}

export interface EditingState {
  readonly opened: Opened;
  readonly kept: readonly Kept[];
  /** Texts that are kept for other browsers of this person. */
  readonly others: readonly Other[];
  /** Whether the server has the text in the editor as it is. */
  readonly isOnServer: boolean;
  /** Continues a text of another browser in this one. */
  readonly takeOver: (other: Other) => void;
  readonly open: (editing: Editing) => void;
  readonly openKept: (kept: Kept) => void;
  /** Changes a text, also after another was opened. */
  readonly change: (of: Opened, change: Change) => void;
  /** Puts other words in the place of what was typed, which can be brought back. */
  readonly replace: (of: Opened, texts: readonly string[]) => void;
  readonly bringBack: () => void;
}

/** A text that another browser of this person has not saved. */
export interface Other {
  readonly text: UnsavedText;
  readonly editing: Editing;
}

/** The text in the editor. Every change is kept in this browser and on the server, until it is saved, sent or discarded. */
export function useEditing(here: SignedIn): EditingState {
  const kept = keptTexts(here);
  const [opened, setOpened] = useState<Opened>(() => newlyOpened(1, kept[0]));
  const current = useRef(opened);
  function show(next: Opened): void {
    current.current = next;
    setOpened(next);
  }
  const keyOf = ({ fresh }: Pick<Opened, "fresh">, { draft }: Editing) =>
    unsavedKey(here, "compose", draft === undefined ? fresh : `draft-${draft.draft_id}`);
  function keep(of: Pick<Opened, "fresh">, before: Editing, next: Editing): void {
    const key = keyOf(of, next);
    if (keyOf(of, before) !== key) forgetUnsaved(keyOf(of, before));
    if (isUnsaved(next)) keepUnsaved(key, { ...next, fresh: of.fresh, at: Date.now() });
    else forgetUnsaved(key);
  }
  function change(of: Opened, update: Change): void {
    const now = current.current;
    const isOpen = of.number === now.number;
    const before = isOpen ? now.editing : (editingIn(unsavedAt(keyOf(of, of.editing))) ?? of.editing);
    const editing = update(before);
    keep(of, before, editing);
    if (isOpen) show({ ...now, editing });
  }
  /** Looks what has become of the draft since its text was typed. */
  async function compare(of: Opened): Promise<void> {
    const { draft } = of.editing;
    if (draft === undefined) return;
    const found = await runCommand("drafts", { id: draft.draft_id });
    if (!found.ok && found.failure.code !== "not_found") return;
    const latest = found.ok ? found.value.drafts[0] : undefined;
    const isGone = latest === undefined || latest.created_at !== draft.created_at || GONE.has(latest.status);
    change(of, (now) => (isGone ? { ...now, draft: undefined } : withLatest(now, latest)));
  }
  useEffect(() => void compare(opened), [opened.number]);
  useEffect(
    () =>
      onUnsavedElsewhere((key) => {
        const now = current.current;
        if (key !== keyOf(now, now.editing)) return;
        const { draft } = now.editing;
        const other = editingIn(unsavedAt(key)) ?? (draft === undefined ? NEW : editingOf(draft));
        if (!hasSameContent(other, now.editing)) show({ ...now, editing: other });
      }),
    [],
  );
  const openNext = (next?: Pick<Kept, "fresh" | "editing">) =>
    show(newlyOpened(current.current.number + 1, next));
  return {
    opened,
    kept,
    open(editing) {
      const key = keyOf({ fresh: "" }, editing);
      openNext(kept.find((one) => one.key === key) ?? { fresh: freshName(), editing });
    },
    openKept: openNext,
    others: otherTexts(here, kept),
    isOnServer: onServer.value.has(keyOf(opened, opened.editing)),
    takeOver({ text, editing }) {
      const fresh = freshName();
      // This browser may have typed something else for the same draft, which stays.
      const isTaken = kept.some(({ key }) => key === keyOf({ fresh }, editing));
      const own = isTaken ? { ...editing, draft: undefined } : editing;
      keep({ fresh }, NEW, own);
      openNext({ fresh, editing: own });
      void forgetElsewhere(text);
    },
    change,
    replace(of, texts) {
      const now = current.current;
      const before = of.number === now.number ? now.editing : of.editing;
      const fresh = freshName();
      const aside = { ...before, draft: undefined };
      if (isUnsaved(before)) keep({ fresh }, NEW, aside);
      change(of, (editing) => ({ ...editing, texts }));
      if (of.number === now.number && !hasSameContent(before, NEW))
        show({
          ...current.current,
          replaced: { before, aside: isUnsaved(before) ? keyOf({ fresh }, aside) : undefined },
        });
    },
    bringBack() {
      const now = current.current;
      if (now.replaced === undefined) return;
      const { before, aside } = now.replaced;
      if (aside !== undefined) forgetUnsaved(aside);
      show({ ...now, replaced: undefined });
      change(current.current, () => before);
    },
  };
}

/** The statuses in which nothing can be changed any more. */
const GONE: ReadonlySet<Draft["status"]> = new Set(["published", "discarded"]);

function newlyOpened(number: number, next?: Pick<Kept, "fresh" | "editing">): Opened {
  return { number, fresh: next?.fresh ?? freshName(), editing: next?.editing ?? NEW };
}

function freshName(): string {
  return `new-${Date.now()}-${Math.random().toString(36).slice(2)}`;
}

/** The texts that are kept for this person, the one that was typed last first. */
function keptTexts(here: SignedIn): readonly Kept[] {
  return unsavedOf(here, "compose")
    .flatMap(([key, value]) => {
      const editing = editingIn(value);
      const { at, fresh } = Object(value) as { readonly at?: unknown; readonly fresh?: unknown };
      return editing === undefined ? [] : [{ key, editing, at: Number(at), fresh: String(fresh) }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/** Texts of other browsers that this one does not have too. */
function otherTexts(here: SignedIn, kept: readonly Kept[]): readonly Other[] {
  return elsewhere.value.flatMap((text) => {
    const editing = isOfKind(text.key, here, "compose") ? editingIn(text.value) : undefined;
    const isHere = editing !== undefined && kept.some((one) => hasSameContent(one.editing, editing));
    return editing === undefined || isHere ? [] : [{ text, editing }];
  });
}

/** An older page may have stored something else. */
function editingIn(value: unknown): Editing | undefined {
  const { draft, texts, media, options = {}, isBehind } = Object(value) as Partial<Editing>;
  if (!Array.isArray(texts) || texts.length === 0 || !Array.isArray(media)) return undefined;
  const known = draft && { ...draft, options: draft.options ?? {} };
  return { draft: known, texts, media, options, ...(isBehind !== undefined && { isBehind }) };
}
