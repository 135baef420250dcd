import type { JSX } from "preact";
import { Plain } from "./post-text.tsx";

interface Row {
  readonly name: string;
  readonly isMono?: boolean;
  /** Null where it is not measured. */
  readonly value: number | null;
  readonly text: string;
  readonly note: string;
  /** Shows what the value was computed from. */
  readonly onOpen?: (() => void) | undefined;
}

/** Values from the greatest to the smallest, each with a bar against the greatest. */
export function Ranked({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  const most = Math.max(...rows.map(({ value }) => value ?? 0), Number.MIN_VALUE);
  return (
    <ol class="ranked">
      {rows.map(({ name, isMono = false, value, text, note, onOpen }, index) => (
        <li key={`${index} ${name}`}>
          <span class={isMono ? "mono" : ""}>
            {onOpen === undefined ? (
              <Plain text={name} />
            ) : (
              <button type="button" class="opens" onClick={onOpen}>
                <Plain text={name} />
              </button>
            )}{" "}
            <span class="soft small">{note}</span>
          </span>
          <b class="num">{text}</b>
          <span class="gauge" aria-hidden="true">
            <i style={{ width: `${((value ?? 0) / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
