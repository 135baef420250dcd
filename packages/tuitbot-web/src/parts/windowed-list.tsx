import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props<Item> {
  readonly items: readonly Item[];
  /** Height of every row, in pixels. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string | number;
  readonly row: (item: Item, index: number) => ComponentChildren;
  /** The row that is kept in view. */
  readonly current?: number | undefined;
  readonly label: string;
}

/** Rows that are drawn beyond what can be seen. */
const MORE = 6;

/** A list of any length that renders only the rows in view of the nearest scrolling container. */
export function WindowedList<Item>(props: Props<Item>): JSX.Element {
  const { items, rowHeight, keyOf, row, current, label } = props;
  const ref = useRef<HTMLUListElement>(null);
  const [view, setView] = useState({ from: 0, to: 30 });
  useLayoutEffect(() => {
    const list = ref.current;
    const box = list === null ? null : scrollBoxOf(list);
    if (list === null || box === null) return;
    const look = () => {
      const above = box.getBoundingClientRect().top - list.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(above / rowHeight) - MORE);
      const to = Math.ceil((above + box.clientHeight) / rowHeight) + MORE;
      setView((old) => (old.from === from && old.to === to ? old : { from, to }));
    };
    look();
    box.addEventListener("scroll", look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(box);
    return () => {
      box.removeEventListener("scroll", look);
      resized.disconnect();
    };
  }, [rowHeight, items.length]);
  useEffect(() => {
    const list = ref.current;
    const box = list === null ? null : scrollBoxOf(list);
    if (list === null || box === null || current === undefined || current < 0) return;
    const top =
      list.getBoundingClientRect().top -
      box.getBoundingClientRect().top +
      box.scrollTop +
      current * rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + rowHeight - box.clientHeight;
  }, [current, rowHeight]);
  const shown = items.slice(view.from, view.to);
  return (
    <ul ref={ref} class="window" aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
      {shown.map((item, index) => {
        const at = view.from + index;
        return (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={at + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${at * rowHeight}px)` }}
          >
            {row(item, at)}
          </li>
        );
      })}
    </ul>
  );
}

function scrollBoxOf(element: Element): Element {
  for (let box = element.parentElement; box !== null; box = box.parentElement)
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  return document.documentElement;
}
