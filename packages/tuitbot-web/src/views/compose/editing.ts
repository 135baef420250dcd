import type { Draft } from "../../api/shapes.ts";

export type MediaFile = Draft["media"][number];

/** What is in the editor. */
export interface Editing {
  /** Undefined for a text that is not stored yet. */
  readonly draft: Draft | undefined;
  readonly texts: readonly string[];
  readonly media: readonly MediaFile[];
}

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

export function withoutPost({ draft, texts, media }: Editing, index: number): Editing {
  return {
    draft,
    texts: texts.toSpliced(index, 1),
    media: media
      .filter(({ post }) => post !== index + 1)
      .map((file) => (file.post > index + 1 ? { ...file, post: file.post - 1 } : file)),
  };
}
