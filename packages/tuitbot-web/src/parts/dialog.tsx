import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { words } from "../text/words.ts";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly isSheet?: boolean;
  /** On a wide screen, the dialog opens next to this. */
  readonly near?: DOMRect | undefined;
  readonly children: ComponentChildren;
}

/** A question above the page. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, isSheet = false, near, children }: Props): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    if (near !== undefined && ref.current !== null) placeNear(ref.current, near);
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={isSheet ? "sheet" : near === undefined ? undefined : "near"}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

const GAP = 10;

/** Next to something, on the side with room, within the window. A phone has no room next to anything. */
function placeNear(dialog: HTMLDialogElement, near: DOMRect): void {
  const { width, height } = dialog.getBoundingClientRect();
  const left = near.right + GAP + width < innerWidth ? near.right + GAP : near.left - GAP - width;
  if (left < GAP) return;
  dialog.style.margin = "0";
  dialog.style.left = `${left}px`;
  dialog.style.top = `${Math.max(GAP, Math.min(near.top, innerHeight - height - GAP))}px`;
}

interface EndProps extends Pick<Props, "onClose"> {
  readonly children?: ComponentChildren;
}

/** The last row of a dialog: a button that closes it, then the buttons that act. */
export function DialogEnd({ onClose, children }: EndProps): JSX.Element {
  return (
    <div class="row end">
      <button type="button" onClick={onClose}>
        {children === undefined ? words.general.close : words.general.cancel}
      </button>
      {children}
    </div>
  );
}
