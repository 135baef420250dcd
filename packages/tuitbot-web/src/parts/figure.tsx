import type { ComponentChildren, JSX } from "preact";
import { words } from "../text/en.ts";

interface Props {
  readonly title: string;
  /** Null where it is not known. */
  readonly value: string | null;
  readonly note: string;
  readonly isBad?: boolean;
  /** Shows what it was computed from. */
  readonly onOpen?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}

/** A number, what it stands on, and the way to that. */
export function Figure({ title, value, note, isBad = false, onOpen, children }: Props): JSX.Element {
  return (
    <section class="panel figure">
      <h2>{title}</h2>
      <p class={value === null ? "big unknown" : `big num ${isBad ? "bad" : ""}`}>
        {value ?? words.general.notMeasured}
      </p>
      {children}
      <p class="soft small num">{note}</p>
      {onOpen !== undefined && (
        <button type="button" class="opens small" onClick={onOpen} aria-label={words.general.rowsOf(title)}>
          {words.general.rows}
        </button>
      )}
    </section>
  );
}
