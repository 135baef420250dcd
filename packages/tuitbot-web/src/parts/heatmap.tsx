import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { weekdays } from "../format/dates.ts";
import { words } from "../text/words.ts";

/** An hour of the week. */
export interface HourCell {
  /** 0 is Monday. */
  readonly weekday: number;
  readonly hour: number;
  readonly posts: number;
  readonly value: number | null;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const LEVELS = 5;
/** Fewer posts get no color: they say nothing about an hour. */
const MIN_SAMPLES = 5;

/** Performance of posts by hour of publication. Each cell names the number of posts it is based on. */
export function Heatmap({
  cells,
  format,
  onOpen,
}: {
  readonly cells: readonly HourCell[];
  readonly format: (value: number) => string;
  /** Shows the posts of an hour. */
  readonly onOpen: (cell: HourCell, name: string) => void;
}): JSX.Element {
  const [text, setText] = useState("");
  const most = Math.max(...cells.map(({ value }) => value ?? 0), 1);
  const names = weekdays("short");
  const long = weekdays("long");
  const cellAt = (weekday: number, hour: number) =>
    cells.find((cell) => cell.weekday === weekday && cell.hour === hour);
  const said = (weekday: number, hour: number) => {
    const cell = cellAt(weekday, hour);
    const when = `${long[weekday]} ${String(hour).padStart(2, "0")}:00`;
    return cell === undefined || cell.value === null
      ? words.analytics.cellUnknown(when)
      : words.analytics.cell(when, format(cell.value), cell.posts);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it is scrolled sideways */}
      <section class="heatmap-box" tabIndex={0} aria-label={words.analytics.heatmap}>
        <table class="heatmap">
          <caption class="visually-hidden">{words.analytics.heatmap}</caption>
          <thead>
            <tr>
              <td />
              {HOURS.map((hour) => (
                <th key={hour} scope="col">
                  {hour % 3 === 0 ? (
                    String(hour).padStart(2, "0")
                  ) : (
                    <span class="visually-hidden">{hour}</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, weekday) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {HOURS.map((hour) => {
                  const cell = cellAt(weekday, hour);
                  const level =
                    cell?.value == null || cell.posts < MIN_SAMPLES
                      ? 0
                      : Math.max(1, Math.ceil((cell.value / most) * LEVELS));
                  return (
                    <td
                      key={hour}
                      class={`heat level-${level}`}
                      title={said(weekday, hour)}
                      onPointerEnter={() => setText(said(weekday, hour))}
                    >
                      {cell !== undefined && (
                        <button
                          type="button"
                          aria-label={said(weekday, hour)}
                          onFocus={() => setText(said(weekday, hour))}
                          onClick={() => onOpen(cell, said(weekday, hour))}
                        >
                          {cell.posts}
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="readout num" aria-live="polite">
        {text}
      </p>
    </>
  );
}
