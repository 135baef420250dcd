import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PendingItem, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { changed } from "../../api/query.ts";
import { dateTime } from "../../format/dates.ts";
import { price } from "../../format/numbers.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { MediaGrid } from "../../parts/media-grid.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { addressOf } from "../../parts/route.ts";
import { discardDraft } from "../../parts/sending.ts";
import { toast } from "../../parts/toasts.tsx";
import { words } from "../../text/words.ts";
import { approve } from "../inbox/decisions.ts";
import type { Entry } from "./entries.ts";

interface Props {
  readonly entry: Entry;
  readonly here: SignedIn;
  readonly zone: string;
  /** The item in the inbox that waits for it, if any. */
  readonly item: PendingItem | undefined;
  /** The position at which the card opens. */
  readonly near: DOMRect | undefined;
  readonly onMove: () => void;
  readonly onClose: () => void;
}

/** One post of the calendar: its text and pictures, and everything that can be done with it. */
export function EntryCard({ entry, here, zone, item, near, onMove, onClose }: Props): JSX.Element {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const { draft, state, series } = entry;
  const isOwner = may(here, "owner");

  async function approveIt(it: PendingItem): Promise<void> {
    setBusy(true);
    const answer = await approve(it);
    setBusy(false);
    if (!answer.ok) return setProblem(answer.failure);
    changed();
    onClose();
    const id = draft?.draft_id;
    const canUndo = isOwner && id !== undefined;
    const run = async () => {
      const asked = await runCommand("draft_ask_again", { id: id ?? 0 });
      changed();
      toast(asked.ok ? words.calendar.asksAgain : asked.failure.message);
    };
    const undo = { label: words.inbox.undo, key: "u", run: () => void run() };
    toast(words.calendar.approved, canUndo ? undo : undefined);
  }
  async function remove(of: NonNullable<Entry["draft"]>): Promise<void> {
    setBusy(true);
    const failure = await discardDraft(of);
    setBusy(false);
    if (failure === undefined) onClose();
    else setProblem(failure);
  }
  return (
    <Dialog title={words.calendar.states[state]} onClose={onClose} near={near}>
      <div class={`entry-card ${state}`}>
        <p class="post-text">
          <Plain text={entry.text} />
        </p>
        {draft !== undefined && <MediaGrid files={draft.media} />}
        <p class="soft small num">
          {dateTime(new Date(entry.at).toISOString(), zone)}
          {item !== undefined && item.estimated_usd !== null && ` · ${price(item.estimated_usd)}`}
          {entry.posts > 1 && ` · ${words.inbox.threadOf(entry.posts)}`}
        </p>
        {series !== null && <p class="soft small">{words.calendar.recurs(series)}</p>}
        {problem !== undefined && <ProblemBox problem={problem} />}
        {draft !== undefined && <RoleNote here={here} needs="owner" what="move" />}
        <div class="row">
          {item !== undefined && may(here, "approver") && (
            <button type="button" class="primary" disabled={isBusy} onClick={() => void approveIt(item)}>
              <Icon name="check" size={16} />
              {words.inbox.approveScheduled}
            </button>
          )}
          {draft !== undefined && (
            <a class="button" href={addressOf("compose", draft.draft_id)}>
              {words.inbox.edit}
            </a>
          )}
          {draft !== undefined && isOwner && (
            <>
              <button type="button" disabled={isBusy} onClick={onMove}>
                {words.calendar.move}
              </button>
              <button type="button" class="quiet" disabled={isBusy} onClick={() => void remove(draft)}>
                <Icon name="trash" size={16} />
                {words.calendar.remove}
              </button>
            </>
          )}
          {draft === undefined && (
            <a class="button" href={addressOf("analytics", entry.id.replace("post-", ""))}>
              {words.calendar.figures}
            </a>
          )}
          <span class="grow" />
          <button type="button" class="quiet" onClick={onClose}>
            {words.general.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
