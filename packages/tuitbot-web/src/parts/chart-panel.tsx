import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { words } from "../text/words.ts";
import { Icon } from "./icons.tsx";
import { useKeys } from "./keys.ts";

interface Props {
  readonly title: string;
  readonly note?: string | undefined;
  readonly chart: ComponentChildren;
  /** Shows what the values were computed from. */
  readonly onOpen?: (() => void) | undefined;
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** A chart, and the table of its values a key away. */
export function ChartPanel({ title, note, chart, table, onOpen }: Props): JSX.Element {
  const [isTable, setTable] = useState(false);
  const heading = useId();
  useKeys({ t: () => setTable(!isTable) });
  return (
    <section class="panel" aria-labelledby={heading}>
      <header>
        <div>
          <h2 id={heading}>{title}</h2>
          {note !== undefined && <p class="soft small">{note}</p>}
        </div>
        <div class="panel-actions">
          {onOpen !== undefined && (
            <button
              type="button"
              class="small quiet"
              onClick={onOpen}
              aria-label={words.general.rowsOf(title)}
            >
              {words.general.rowsShort}
            </button>
          )}
          <button type="button" class="small quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            <Icon name={isTable ? "analytics" : "table"} size={16} />
            {isTable ? words.general.chart : words.general.table}
            <kbd>T</kbd>
          </button>
        </div>
      </header>
      {isTable ? <DataTable caption={title} {...table} /> : chart}
    </section>
  );
}

export function DataTable({
  caption,
  head,
  rows,
}: Props["table"] & { readonly caption: string }): JSX.Element {
  return (
    <TableBox caption={caption} head={head}>
      {rows.map((row) => (
        <tr key={row[0]}>
          {row.map((cell, index) => (
            <td key={index} class={index === 0 ? "" : "right"} data-label={head[index]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </TableBox>
  );
}

interface TableBoxProps {
  readonly caption: string;
  /** The first column is text, the others are figures. */
  readonly head: readonly string[];
  readonly class?: string | undefined;
  readonly children: ComponentChildren;
}

/** A table that scrolls if it is too large. On a phone its rows are cards, for which cells have `data-label`. */
export function TableBox({ caption, head, class: name, children }: TableBoxProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled with the keyboard
    <section class="table-box" tabIndex={0} aria-label={caption}>
      <table class={name}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" class={index === 0 ? "" : "right"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
