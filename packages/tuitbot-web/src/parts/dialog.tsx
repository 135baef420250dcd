import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { words } from "../text/en.ts";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly isSheet?: boolean;
  readonly children: ComponentChildren;
}

/** A question above the page. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, isSheet = false, children }: Props): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={isSheet ? "sheet" : undefined}
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
