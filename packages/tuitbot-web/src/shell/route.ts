import { signal } from "@preact/signals";
import { VIEWS, type View } from "./views.ts";

/** The open view. It is in the address, so that it can be linked and reloaded. */
export const view = signal<View>(viewInAddress());

addEventListener("hashchange", () => {
  view.value = viewInAddress();
});

function viewInAddress(): View {
  const id = location.hash.slice(2).split("/")[0];
  // The table has at least the inbox.
  return VIEWS.find((one) => one.id === id) ?? (VIEWS[0] as View);
}

export const address = ({ id }: Pick<View, "id">): string => `#/${id}`;
