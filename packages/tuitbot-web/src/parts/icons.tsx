import type { JSX } from "preact";

/** Drawn on a grid of 20. */
const PATHS = {
  inbox: "M3 11.5 5 4.5h10l2 7v4H3zM3 11.5h4l1 2h4l1-2h4",
  mentions: "M4 4.5h12v8.5h-6.5L6 16v-3H4zM7.5 8.7h5",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.5 3.5",
  compose: "M4 16l1-3.8L13.4 3.8a1.4 1.4 0 0 1 2 0l.8.8a1.4 1.4 0 0 1 0 2L7.8 15zM11.8 5.4l2.8 2.8",
  calendar: "M3.5 5.5h13v11h-13zM3.5 8.5h13M7 3.5v3M13 3.5v3",
  analytics: "M3.5 16.5h13M5 13l3.5-4 3 2.5L16 5.5",
  spend:
    "M10 3.5v13M13.3 6.2C12.6 5.4 11.4 5 10 5 8 5 6.6 5.9 6.6 7.4c0 3.4 7 1.6 7 5.1 0 1.6-1.6 2.5-3.6 2.5-1.6 0-2.9-.5-3.6-1.4",
  activity: "M3 10.5h3l2-6 4 11 2-5h3",
  autopilot: "M16 10a6 6 0 1 1-2-4.5M16 3.5V6h-2.6M10 7v3.2l2.2 1.4",
  discovery: "M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM12.8 7.2l-1.5 4.1-4.1 1.5 1.5-4.1z",
  policy: "M10 3l5.5 2v4.5c0 3.4-2.2 6-5.5 7.5-3.3-1.5-5.5-4.1-5.5-7.5V5zM7.6 9.8l1.8 1.8 3.2-3.4",
  setup: "M4 6h7M15 6h1M4 14h1M9 14h7M11 6a2 2 0 1 0 4 0 2 2 0 1 0-4 0M5 14a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  stop: "M7.2 3.5h5.6l3.7 3.7v5.6l-3.7 3.7H7.2l-3.7-3.7V7.2zM7.5 10h5",
  play: "M7 4.8v10.4l8-5.2z",
  check: "M4 10.5l4 4 8-9",
  close: "M5 5l10 10M15 5L5 15",
  back: "M12 4.5L6.5 10l5.5 5.5",
  next: "M8 4.5l5.5 5.5L8 15.5",
  down: "M4.5 8l5.5 5.5L15.5 8",
  undo: "M4 8.5h8a4 4 0 0 1 0 8H9M4 8.5l3.5-3.5M4 8.5L7.5 12",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.3l2.8 1.7",
  table: "M3.5 4.5h13v11h-13zM3.5 8.5h13M3.5 12h13M8 8.5v7",
  reply: "M4 9.5h8a4 4 0 0 1 4 4v2M4 9.5L8 5.5M4 9.5l4 4",
  repost:
    "M5 8V6.5A1.5 1.5 0 0 1 6.5 5H14M14 5l-2-2M14 5l-2 2M15 12v1.5a1.5 1.5 0 0 1-1.5 1.5H6M6 15l2 2M6 15l2-2",
  heart: "M10 16s-6-3.6-6-7.8A3.2 3.2 0 0 1 10 6.4a3.2 3.2 0 0 1 6 1.8C16 12.4 10 16 10 16z",
  views: "M4 15.5v-4M8 15.5v-8M12 15.5v-6M16 15.5v-11",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.8 16.8c.8-3 3.2-4.4 6.2-4.4s5.4 1.4 6.2 4.4",
  warning: "M10 3.5l7 12.5H3zM10 8v3.5M10 13.8v.01",
  plus: "M10 4v12M4 10h12",
  split: "M4 4.5h12M4 15.5h12M4 10h2M9 10h2M14 10h2",
  trash: "M4.5 6h11M8 6V4h4v2M6 6l.7 10.5h6.6L14 6",
  picture: "M3.5 4.5h13v11h-13zM3.5 13l3.6-3.6 3 3L13 9.5l3.5 3.5M7 8.2v.01",
  sun: "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M15.3 4.7l-1.4 1.4M6.1 13.9l-1.4 1.4",
  moon: "M15.5 12A6.5 6.5 0 0 1 8 4.5a6 6 0 1 0 7.5 7.5z",
  link: "M8.5 11.5l3-3M7.5 9.5L5.3 11.7a2.1 2.1 0 0 0 3 3l2.2-2.2M12.5 10.5l2.2-2.2a2.1 2.1 0 0 0-3-3L9.5 7.5",
  copy: "M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4",
  spark: "M10 3l1.6 4.4L16 9l-4.4 1.6L10 15l-1.6-4.4L4 9l4.4-1.6z",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the text next to it has the same meaning. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The product's mark. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" />
      <path d="M9 12.5c0-1.9 1.6-3.5 3.5-3.5h7c1.9 0 3.5 1.6 3.5 3.5v4c0 1.9-1.6 3.5-3.5 3.5h-3.6L12 23.4V20c-1.7-.2-3-1.7-3-3.5z" />
      <path d="m12.9 14.6 2.2 2.2 4.1-4.3" />
    </svg>
  );
}
