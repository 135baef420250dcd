import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PendingItem } from "tuitbot/src/web/api.ts";
import { fileAddress } from "../../api/client.ts";
import { now } from "../../format/clock.ts";
import { age } from "../../format/dates.ts";
import { price } from "../../format/numbers.ts";
import { Icon } from "../../parts/icons.tsx";
import { Plain } from "../../parts/post-text.tsx";
import { WindowedList } from "../../parts/windowed-list.tsx";
import { words } from "../../text/words.ts";
import { ExpiredNote } from "./expired-note.tsx";
import { snippetOf, titleOf } from "./item-content.ts";

interface Props {
  readonly items: readonly PendingItem[];
  readonly current: number | undefined;
  readonly chosen: ReadonlySet<number>;
  /** Items that came since the list was drawn. */
  readonly arrived: number;
  readonly isGone: (id: number) => boolean;
  /** Whether items can be chosen, to decide about several. */
  readonly mayDecide: boolean;
  readonly onOpen: (id: number) => void;
  readonly onChoose: (id: number) => void;
  readonly onShowArrived: () => void;
  readonly onBulk: (decision: "approve" | "reject") => void;
  readonly onClear: () => void;
}

const ROW = 92;

/** The waiting items. New ones are counted, and do not shift the others. */
export function ItemList(props: Props): JSX.Element {
  const { items, current, chosen, arrived, isGone, onOpen, onChoose } = props;
  return (
    <section class="item-list" aria-label={words.inbox.listLabel}>
      {arrived > 0 && (
        <button type="button" class="arrived fade" onClick={props.onShowArrived}>
          {words.inbox.arrived(arrived)}
        </button>
      )}
      <WindowedList
        items={items}
        rowHeight={ROW}
        keyOf={({ id }) => id}
        current={items.findIndex(({ id }) => id === current)}
        label={words.inbox.listLabel}
        row={(item) => (
          <div class={rowClass(item, current, isGone)}>
            <input
              type="checkbox"
              aria-label={words.inbox.select(item.id)}
              checked={chosen.has(item.id)}
              disabled={!props.mayDecide}
              onChange={() => onChoose(item.id)}
            />
            <button
              type="button"
              aria-current={item.id === current ? "true" : undefined}
              onClick={() => onOpen(item.id)}
            >
              <span class="item-head">
                <b>{titleOf(item)}</b>
                <span class="num item-side">
                  {item.estimated_usd > 0 && `${price(item.estimated_usd)} · `}
                  <time dateTime={item.created_at}>{age(item.created_at, now.value)}</time>
                </span>
              </span>
              <span class="item-lines">
                <span class="item-text">
                  <Plain text={snippetOf(item)} />
                </span>
                <Thumbnail files={item.files} />
              </span>
            </button>
          </div>
        )}
      />
      <ExpiredNote />
      {chosen.size > 0 && (
        <div class="bulk fade">
          <b class="num">{words.inbox.selected(chosen.size)}</b>
          <button type="button" class="small" onClick={() => props.onBulk("approve")}>
            <Icon name="check" size={16} />
            {words.inbox.approveSelected}
          </button>
          <button type="button" class="small" onClick={() => props.onBulk("reject")}>
            {words.inbox.rejectSelected}
          </button>
          <button type="button" class="small quiet" onClick={props.onClear}>
            {words.inbox.clear}
          </button>
        </div>
      )}
    </section>
  );
}

/** The first picture of an item; its text and alt text are in the detail. */
function Thumbnail({ files }: Pick<PendingItem, "files">): JSX.Element | null {
  const [isShown, setShown] = useState(true);
  const path = files.find(({ file_path }) => file_path !== null)?.file_path;
  if (path == null || !isShown) return null;
  return <img class="item-thumbnail" src={fileAddress(path)} alt="" onError={() => setShown(false)} />;
}

function rowClass(item: PendingItem, current: number | undefined, isGone: Props["isGone"]): string {
  const isOn = item.id === current ? " on" : "";
  return `item-row${isOn}${isGone(item.id) ? " gone" : ""}`;
}
