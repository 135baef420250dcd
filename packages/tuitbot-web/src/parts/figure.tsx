import type { ComponentChildren, JSX } from "preact";
import { words } from "../text/words.ts";

interface Props {
  readonly title: string;
  /** Null where it is not known. */
  readonly value: string | null;
  readonly note: string;
  /** How it changed, such as "+6": shown next to the value. */
  readonly delta?: { readonly text: string; readonly tone: "ok" | "bad" | "" } | undefined;
  readonly isBad?: boolean;
  /** Shows what it was computed from. */
  readonly onOpen?: (() => void) | undefined;
  readonly openLabel?: string;
  readonly children?: ComponentChildren;
}

/** A number with its change, and a button that shows what it was computed from. */
export function Figure({
  title,
  value,
  note,
  delta,
  isBad = false,
  onOpen,
  openLabel,
  children,
}: Props): JSX.Element {
  return (
    <section class="panel figure">
      <h2>{title}</h2>
      <p class={value === null ? "big unknown" : `big num ${isBad ? "bad" : ""}`}>
        {value ?? words.general.notMeasured}
        {delta !== undefined && <span class={`delta ${delta.tone}`}>{delta.text}</span>}
      </p>
      {children}
      <p class="soft small num">{note}</p>
      {onOpen !== undefined && (
        <button
          type="button"
          class="opens small"
          onClick={onOpen}
          aria-label={words.general.rowsOf(title, openLabel)}
        >
          {openLabel ?? words.general.rows}
        </button>
      )}
    </section>
  );
}
