import { paint, type Terminal } from "@toolpact/cli";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import { weighPost } from "@toolpact/x-api";
import type { Draft } from "../../drafts/draft.ts";
import { approvalOf, draftView } from "../../drafts/draft-view.ts";
import type { Revision } from "../../drafts/find-draft.ts";
import { minuteIn } from "../daily/daily-session.ts";

/** A draft in one line. */
export function draftLine(draft: Draft, timezone: string): string {
  const [first = "", ...more] = draft.texts;
  const start = escapeInvisible(first).replaceAll("\n", " ");
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const when = draft.scheduledFor === undefined ? "" : `  ${minuteIn(draft.scheduledFor, timezone)}`;
  const waits =
    draft.status === "scheduled" && approvalOf(draft) === "waiting" ? " (waits for approval)" : "";
  const { series } = draft;
  const recurs =
    series === undefined ? "" : `  (${series.number} of ${series.of}, ${escapeInvisible(series.repeats)})`;
  return `${draft.id}  ${draft.status}${when}${waits}${recurs}  ${start.length > 72 ? `${start.slice(0, 71)}…` : start}${rest}`;
}

/** A draft with all its texts and its revisions. */
export function draftText(
  draft: Draft,
  revisions: readonly Revision[],
  timezone: string,
  terminal: Pick<Terminal, "hasColor">,
): string {
  const { texts, media, status, topic, framework, writer, scheduledFor } = draft;
  const facts = [
    status,
    ...(scheduledFor === undefined ? [] : [`for ${minuteIn(scheduledFor, timezone)} (${timezone})`]),
    ...[topic, framework, writer].filter((fact) => fact !== undefined),
  ];
  return [
    `${paint(terminal, "bold", `Draft ${draft.id}`)}  ${facts.join(" · ")}`,
    ...texts.flatMap((text) => [
      ...escapeInvisible(text)
        .split("\n")
        .map((line) => `  │ ${line}`),
      paint(terminal, "dim", `  ${weighPost(text).weighted_length} of 280`),
    ]),
    ...media.map(({ post, file_path, alt_text }) => {
      const file = `  post ${post}: ${escapeInvisible(file_path)}`;
      return alt_text === undefined ? file : `${file} (${escapeInvisible(alt_text)})`;
    }),
    ...draftView(draft).tweet_ids.map((id) => `  https://x.com/i/web/status/${id}`),
    ...revisions.map(({ revision, at, what, by, note }) =>
      paint(
        terminal,
        "dim",
        `  ${revision}. ${minuteIn(at, timezone)} ${what} by ${by}${note === undefined ? "" : `: ${escapeInvisible(note)}`}`,
      ),
    ),
  ].join("\n");
}

/** When a scheduled draft goes out, in one line. */
export function scheduledText(draft: Draft, timezone: string): string {
  const { id, scheduledFor = 0, approvalId } = draft;
  const first =
    approvalOf(draft) === "waiting" ? ` once you approve it, with tuitbot approve --id ${approvalId}` : "";
  return `Draft ${id} goes out at ${minuteIn(scheduledFor, timezone)} (${timezone})${first}.`;
}

/** When recurring posts go out, in one line. */
export function repeatedText(drafts: readonly Draft[], timezone: string): string {
  const [first] = drafts;
  const [from = 0, to = 0] = [first?.scheduledFor, drafts.at(-1)?.scheduledFor];
  const once =
    first?.approvalId === undefined
      ? ""
      : ` once you approve them, all together, with tuitbot approve --id ${first.approvalId}`;
  const many = drafts.length === 1 ? "1 post goes" : `${drafts.length} posts go`;
  return `${many} out from ${minuteIn(from, timezone)} to ${minuteIn(to, timezone)} (${timezone})${once}.`;
}

/** The result of publishing a draft, in one line. */
export function publishedText(draft: Draft): string {
  if (draft.status === "queued")
    return `Draft ${draft.id} waits for approval: tuitbot approve --id ${draft.approvalId}`;
  const [first] = draftView(draft).tweet_ids;
  return `Draft ${draft.id} is published: https://x.com/i/web/status/${first}`;
}

/** The texts as one file for the editor, with a line of dashes between the posts of a thread. */
export function asEdited(texts: readonly string[]): string {
  return `${texts.join(`\n${"-".repeat(dashesBetween(texts))}\n`)}\n`;
}

/** The texts of the edited file. */
export function readEdited(text: string, before: readonly string[]): readonly string[] {
  return text
    .split(new RegExp(`^-{${dashesBetween(before)},}[ \\t]*$`, "m"))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** The length of the separator: longer than any line of dashes in the texts. */
function dashesBetween(texts: readonly string[]): number {
  const own = texts.flatMap((text) => text.match(/^-+(?=[ \t]*$)/gm) ?? []);
  return Math.max(3, ...own.map(({ length }) => length + 1));
}
