import { useEffect, useRef } from "preact/hooks";

export type KeyBindings = Readonly<Record<string, (() => void) | undefined>>;

/** Runs a function when a key is pressed outside of fields and dialogs. */
export function useKeys(bindings: KeyBindings): void {
  const current = useRef(bindings);
  current.current = bindings;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null)
        return;
      const run = current.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
