import { type ReadonlySignal, signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 760px)");
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});

/** Whether the screen is as narrow as a phone, as in the styles. */
export const isPhone: ReadonlySignal<boolean> = isNarrow;
