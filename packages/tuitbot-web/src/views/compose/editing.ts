import type { Draft } from "../../api/shapes.ts";

export type MediaFile = Draft["media"][number];

/** What is in the editor. */
export interface Editing {
  /** Undefined for a text that is not stored yet. */
  readonly draft: Draft | undefined;
  readonly texts: readonly string[];
  readonly media: readonly MediaFile[];
  /** Whether the draft was changed elsewhere after this was begun. */
  readonly isBehind?: boolean;
}

/** The next state of the text in the editor. */
export type Change = (now: Editing) => Editing;

export const NEW: Editing = { draft: undefined, texts: [""], media: [] };

export function editingOf(draft: Draft): Editing {
  return { draft, texts: draft.texts, media: draft.media };
}

/** What is stored: posts without words and files are left out, and files follow their posts. */
export function contentOf({ texts, media }: Editing): Pick<Editing, "texts" | "media"> {
  const kept = texts
    .map((text, index) => ({ text, files: media.filter(({ post }) => post === index + 1) }))
    .filter(({ text, files }) => text.trim() !== "" || files.length > 0);
  return {
    texts: kept.map(({ text }) => text),
    media: kept.flatMap(({ files }, index) =>
      files.map(({ file_path, alt_text }) => ({
        post: index + 1,
        file_path,
        ...(alt_text !== undefined && alt_text.trim() !== "" && { alt_text: alt_text.trim() }),
      })),
    ),
  };
}

export function hasSameContent(one: Editing, other: Editing): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

/** Whether there is something that the server does not have. */
export function isUnsaved(editing: Editing): boolean {
  return !hasSameContent(editing, editing.draft === undefined ? NEW : editingOf(editing.draft));
}

/** After `sent` was stored as this draft. What was typed since stays. */
export function afterSaving(sent: Editing, draft: Draft): Change {
  return (now) => (hasSameContent(now, sent) ? editingOf(draft) : { ...now, draft, isBehind: false });
}

/** With the draft as the server has it now: shown where nothing was typed, and else what was typed stays. */
export function withLatest(editing: Editing, latest: Draft): Editing {
  const { draft } = editing;
  if (draft?.draft_id !== latest.draft_id || latest.revision <= draft.revision) return editing;
  return isUnsaved(editing) ? { ...editing, draft: latest, isBehind: true } : editingOf(latest);
}

export function withoutPost({ texts, media, ...more }: Editing, index: number): Editing {
  return {
    ...more,
    texts: texts.toSpliced(index, 1),
    media: media
      .filter(({ post }) => post !== index + 1)
      .map((file) => (file.post > index + 1 ? { ...file, post: file.post - 1 } : file)),
  };
}
