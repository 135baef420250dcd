import { POST_LIMIT, weighPost } from "@toolpact/x-api/text";
import type { Draft, DraftOptions } from "../../api/shapes.ts";

export type MediaFile = Draft["media"][number];

/** The editor's content. */
export interface Editing {
  /** Undefined for a text that is not stored yet. */
  readonly draft: Draft | undefined;
  readonly texts: readonly string[];
  readonly media: readonly MediaFile[];
  readonly options: DraftOptions;
  /** Whether the draft was changed elsewhere after this was begun. */
  readonly isBehind?: boolean;
}

/** The next state of the text in the editor. */
export type Change = (now: Editing) => Editing;

export const NEW: Editing = { draft: undefined, texts: [""], media: [], options: {} };

export function editingOf(draft: Draft): Editing {
  const { texts, media, options } = draft;
  return { draft, texts, media, options };
}

/** The stored content: without empty posts, and with files moved along with their posts. */
export function contentOf({ texts, media, options }: Editing): Pick<Editing, "texts" | "media" | "options"> {
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
    options: setOptions(options),
  };
}

/** The options that are set, always in the same order. */
function setOptions(options: DraftOptions): DraftOptions {
  const choices = options.poll_options?.map((choice) => choice.trim()).filter((choice) => choice !== "");
  const { poll_minutes, reply_settings, made_with_ai, paid_partnership } = options;
  const { in_reply_to_id, quoted_tweet_id } = options;
  return {
    ...(choices !== undefined && { poll_options: choices }),
    ...(choices !== undefined && poll_minutes !== undefined && { poll_minutes }),
    ...(reply_settings !== undefined && { reply_settings }),
    ...(made_with_ai && { made_with_ai }),
    ...(paid_partnership && { paid_partnership }),
    ...(in_reply_to_id !== undefined && { in_reply_to_id }),
    ...(quoted_tweet_id !== undefined && { quoted_tweet_id }),
  };
}

/** Whether it has a poll with fewer than the two choices that X requires. */
export function hasOpenPoll({ options }: Editing): boolean {
  return options.poll_options !== undefined && (setOptions(options).poll_options?.length ?? 0) < 2;
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

/** With an empty post at this place. */
export function insertPost({ texts, media, ...more }: Editing, at: number, text = ""): Editing {
  return {
    ...more,
    texts: texts.toSpliced(at, 0, text),
    media: media.map((file) => (file.post > at ? { ...file, post: file.post + 1 } : file)),
  };
}

/** With a post, and its files, one place up (-1) or down (1). */
export function movePost(editing: Editing, index: number, by: -1 | 1): Editing {
  const { texts, media } = editing;
  const other = index + by;
  const [text, swapped] = [texts[index], texts[other]];
  if (text === undefined || swapped === undefined) return editing;
  const place = (post: number) => (post === index + 1 ? other + 1 : post === other + 1 ? index + 1 : post);
  return {
    ...editing,
    texts: texts.with(index, swapped).with(other, text),
    media: media.map((file) => ({ ...file, post: place(file.post) })),
  };
}

/** With a post in two, at a place of its text. Its files stay with the first. */
export function splitPost(editing: Editing, index: number, at: number): Editing {
  const text = editing.texts[index] ?? "";
  const shortened = { ...editing, texts: editing.texts.with(index, text.slice(0, at).trimEnd()) };
  return insertPost(shortened, index + 1, text.slice(at).trimStart());
}

/** With a long post in several that everybody sees whole. It is cut after sentences, or else after words. */
export function splitLong(editing: Editing, index: number): Editing {
  let result = editing;
  for (let at = index; at < MAX_POSTS; at++) {
    const text = result.texts[at] ?? "";
    const cut = cutOf(text);
    if (cut === undefined) return result;
    result = splitPost(result, at, cut);
  }
  return result;
}

const MAX_POSTS = 100;
/** Room for the number of a post, such as 12/25. */
const NUMBER_LENGTH = 6;

export function isLong(text: string): boolean {
  return weighPost(text).weighted_length > POST_LIMIT;
}

/** The position at which a text is cut to fit into a post; undefined if it fits. */
function cutOf(text: string): number | undefined {
  if (!isLong(text)) return undefined;
  const fits = (end: number) => weighPost(text.slice(0, end)).weighted_length <= POST_LIMIT - NUMBER_LENGTH;
  const ends = (pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found.index + found[0].length);
  const isUseful = (end: number) => end > POST_LIMIT / 4 && end < text.length && fits(end);
  for (const pattern of [/\n\s*\n/g, /[.!?…]["”’)]*\s|\n/g, /\s/g]) {
    const last = ends(pattern).findLast(isUseful);
    if (last !== undefined) return last;
  }
  // One long word: in the middle of it, between whole characters.
  let end = 0;
  for (const character of text) {
    if (!fits(end + character.length)) break;
    end += character.length;
  }
  return end;
}

const NUMBER = /\s*\b\d{1,3}\/\d{1,3}$/;

/** Ends each post of a thread with its number, such as 2/5; without numbers if they all have them. */
export function numbered(editing: Editing): Editing {
  const all = editing.texts.length;
  const bare = editing.texts.map((text) => text.replace(NUMBER, ""));
  const texts = bare.map((text, index) => `${text} ${index + 1}/${all}`.trimStart());
  const isNumbered = texts.every((text, index) => text === editing.texts[index]);
  return { ...editing, texts: isNumbered ? bare : texts };
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
