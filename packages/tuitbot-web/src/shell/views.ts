import { computed, type ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import type { IconName } from "../parts/icons.tsx";
import { addressOf, route } from "../parts/route.ts";
import type { words } from "../text/words.ts";
import { Inbox } from "../views/inbox/inbox.tsx";
import type { Status } from "./status.ts";

type ViewComponent = ComponentType<{ readonly here: SignedIn }>;

/** A view of the dashboard. Everybody who is signed in can open each view; parts of it may require a role. */
export interface View {
  /** Part of the address, and the name of the icon and of the title. */
  readonly id: IconName & keyof typeof words.views;
  /** Views of one group are next to each other in the navigation. */
  readonly group: number;
  /** `g` followed by this key opens the view. */
  readonly key: string;
  /** Set if the view is part of the first load. */
  readonly component?: ViewComponent;
  readonly load: () => Promise<ViewComponent>;
  /** On a phone, one of the tabs at the bottom instead of an entry under More. */
  readonly isTab?: boolean;
  /** A count next to the title. */
  readonly badge?: (status: Status) => number;
}

/** All views in the order of the navigation. A new view is a row here, a title in `text` and its file. */
export const VIEWS: readonly View[] = [
  {
    id: "inbox",
    group: 0,
    key: "i",
    isTab: true,
    badge: (status) => status.pending_approvals,
    component: Inbox,
    load: async () => Inbox,
  },
  {
    id: "mentions",
    group: 0,
    key: "e",
    load: async () => (await import("../views/mentions.tsx")).Mentions,
  },
  {
    id: "compose",
    group: 0,
    key: "c",
    isTab: true,
    load: async () => (await import("../views/compose/compose.tsx")).Compose,
  },
  {
    id: "calendar",
    group: 0,
    key: "l",
    isTab: true,
    load: async () => (await import("../views/calendar/calendar.tsx")).Calendar,
  },
  {
    id: "analytics",
    group: 1,
    key: "n",
    load: async () => (await import("../views/analytics.tsx")).Analytics,
  },
  { id: "spend", group: 1, key: "m", load: async () => (await import("../views/spend.tsx")).Spend },
  {
    id: "activity",
    group: 1,
    key: "v",
    isTab: true,
    load: async () => (await import("../views/activity.tsx")).Activity,
  },
  {
    id: "autopilot",
    group: 2,
    key: "p",
    load: async () => (await import("../views/autopilot.tsx")).Autopilot,
  },
  {
    id: "discovery",
    group: 2,
    key: "d",
    load: async () => (await import("../views/discovery.tsx")).Discovery,
  },
  { id: "policy", group: 2, key: "o", load: async () => (await import("../views/policy.tsx")).Policy },
  { id: "setup", group: 2, key: "t", load: async () => (await import("../views/setup/setup.tsx")).Setup },
];

/** The open view. */
export const view: ReadonlySignal<View> = computed(
  // The table has at least the inbox.
  () => VIEWS.find((one) => one.id === route.value.view) ?? (VIEWS[0] as View),
);

export const address = ({ id }: Pick<View, "id">): string => addressOf(id);
