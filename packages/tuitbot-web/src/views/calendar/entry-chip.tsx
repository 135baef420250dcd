import type { JSX } from "preact";
import { clockTime } from "../../format/dates.ts";
import { Icon } from "../../parts/icons.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { words } from "../../text/words.ts";
import { type Entry, entryKey, laterBy } from "./entries.ts";

interface Props {
  readonly entry: Entry;
  readonly zone: string;
  readonly canMove: boolean;
  readonly onOpen: (entry: Entry, chip: Element) => void;
  readonly onMove: (entry: Entry, at: number) => void;
  readonly onDrag: (entry: Entry | undefined) => void;
  readonly onDrop?: () => void;
}

/** Days and hours by which an arrow key moves an entry. */
const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A post in the calendar. One that is not published yet can be dragged, or moved with Shift and an arrow key. */
export function EntryChip(props: Props): JSX.Element {
  const { entry, zone, onOpen, onMove, onDrag, onDrop } = props;
  const canMove = props.canMove && entry.state !== "published";
  return (
    <button
      type="button"
      data-entry={entryKey(entry)}
      aria-keyshortcuts={
        canMove ? "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown" : undefined
      }
      class={`scheduled ${entry.state}`}
      draggable={canMove}
      onDragStart={() => onDrag(entry)}
      onDragEnd={() => onDrag(undefined)}
      onDragOver={(event) => onDrop !== undefined && event.preventDefault()}
      onDrop={onDrop}
      onClick={(event) => onOpen(entry, event.currentTarget)}
      onKeyDown={(event) => {
        const step = event.shiftKey && canMove ? STEPS[event.key] : undefined;
        if (step === undefined) return;
        event.preventDefault();
        onMove(entry, laterBy(entry, ...step, zone));
      }}
    >
      <span class="num">
        {clockTime(entry.at, zone)}
        {entry.posts > 1 && ` · ${words.inbox.threadOf(entry.posts)}`}
        {entry.series !== null && (
          <span class="recurs" title={words.calendar.recurs(entry.series)}>
            <Icon name="repost" size={13} />
            {words.calendar.ofSeries(entry.series.number, entry.series.of)}
          </span>
        )}
      </span>
      <span class="scheduled-text">
        <Plain text={entry.text.slice(0, 140)} />
      </span>
      {entry.state !== "approved" && (
        <span class="visually-hidden">{words.calendar.legend[entry.state]}</span>
      )}
    </button>
  );
}
