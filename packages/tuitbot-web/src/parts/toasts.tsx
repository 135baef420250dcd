import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { words } from "../text/words.ts";
import { Icon } from "./icons.tsx";
import { useKeys } from "./keys.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly key: string; readonly run: () => void } | undefined;
  /** How long it is shown, if a bar counts that down. */
  readonly countdownMs?: number | undefined;
}

const shown = signal<readonly Toast[]>([]);
let last = 0;

const SHOWN_MS = 8_000;
const MAX_SHOWN = 3;
/** How long the server waits before a decision takes effect that can be taken back. */
export const UNDO_MS = 10_000;

/**
 * Reports that something was done, and offers an undo if there is one. With `countdownMs`, a bar shows how long. It
 * takes the place of the one before, unless that one counts down.
 */
export function toast(text: string, action?: Toast["action"], countdownMs?: number): void {
  const id = ++last;
  const left = shown.value.filter((one) => one.countdownMs !== undefined);
  shown.value = [...left.slice(1 - MAX_SHOWN), { id, text, action, countdownMs }];
  setTimeout(() => close(id), countdownMs ?? SHOWN_MS);
}

function close(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

export function Toasts(): JSX.Element {
  const newest = shown.value.findLast(({ action }) => action !== undefined);
  const act = (one: Toast) => {
    close(one.id);
    one.action?.run();
  };
  useKeys({
    u: () => toast(words.general.nothingToUndo),
    ...(newest?.action !== undefined && { [newest.action.key]: () => act(newest) }),
  });
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map((one) => (
        <div class={one.countdownMs === undefined ? "toast fade" : "toast fade counts"} key={one.id}>
          <span>{one.text}</span>
          {one.action !== undefined && (
            <button type="button" onClick={() => act(one)}>
              {one.action.label}
              <kbd>{one.action.key.toUpperCase()}</kbd>
            </button>
          )}
          <button type="button" aria-label={words.general.close} onClick={() => close(one.id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
