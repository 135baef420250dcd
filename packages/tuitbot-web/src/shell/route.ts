import { signal } from "@preact/signals";
import type { IconName } from "../parts/icons.tsx";

/** The views, in the groups in which the navigation shows them. */
export const GROUPS = [
  ["inbox", "compose", "calendar"],
  ["analytics", "spend", "activity"],
  ["autopilot", "discovery", "policy", "setup"],
] as const satisfies readonly (readonly IconName[])[];

export type ViewName = (typeof GROUPS)[number][number];

const VIEWS: readonly ViewName[] = GROUPS.flat();

function viewInAddress(): ViewName {
  const name = location.hash.slice(2).split("/")[0];
  return VIEWS.find((view) => view === name) ?? "inbox";
}

/** The view that is open. It is in the address, so that it can be linked and reloaded. */
export const view = signal<ViewName>(viewInAddress());

addEventListener("hashchange", () => {
  view.value = viewInAddress();
});

export const address = (name: ViewName): string => `#/${name}`;

export function open(name: ViewName): void {
  location.hash = address(name);
}
