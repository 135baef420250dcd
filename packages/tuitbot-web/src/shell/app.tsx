import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { session } from "../api/client.ts";
import { connection, startLive } from "../api/live.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { useKeys } from "../parts/keys.ts";
import { Toasts } from "../parts/toasts.tsx";
import { words } from "../text/en.ts";
import { Inbox } from "../views/inbox/inbox.tsx";
import { Gate } from "./gate.tsx";
import { BottomNavigation, SideNavigation } from "./navigation.tsx";
import { open, type ViewName, view } from "./route.ts";
import { useStatus } from "./status.ts";
import { StopBanner } from "./stop.tsx";
import { TopBar } from "./top-bar.tsx";

export function App(): JSX.Element | null {
  const here = session.value;
  if (here === undefined) return <Connecting />;
  return here.signed_in ? <Shell here={here} /> : <Gate here={here} />;
}

function Connecting(): JSX.Element {
  return (
    <main class="gate">
      <p class="soft" role="status">
        {words.signIn.waiting}
      </p>
    </main>
  );
}

type View = ComponentType<{ readonly here: SignedIn }>;

/** The inbox is there at once; every other view is fetched when it is opened first. */
const OTHERS: Readonly<Record<Exclude<ViewName, "inbox">, () => Promise<View>>> = {
  compose: async () => (await import("../views/compose/compose.tsx")).Compose,
  calendar: async () => (await import("../views/calendar/calendar.tsx")).Calendar,
  analytics: async () => (await import("../views/analytics.tsx")).Analytics,
  spend: async () => (await import("../views/spend.tsx")).Spend,
  activity: async () => (await import("../views/activity.tsx")).Activity,
  autopilot: async () => (await import("../views/autopilot.tsx")).Autopilot,
  discovery: async () => (await import("../views/discovery.tsx")).Discovery,
  policy: async () => (await import("../views/policy.tsx")).Policy,
  setup: async () => (await import("../views/setup/setup.tsx")).Setup,
};

const fetched: Partial<Record<ViewName, View>> = { inbox: Inbox };

function Shell({ here }: { readonly here: SignedIn }): JSX.Element {
  const { value: status } = useStatus();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(startLive, []);
  useGoKeys();
  useKeys({ "?": () => setHelpOpen(true) });
  const waiting = status?.pending_approvals ?? 0;
  useEffect(() => {
    const name = words.views[view.value];
    document.title = waiting > 0 ? `(${waiting}) ${name} · tuitbot` : `${name} · tuitbot`;
  }, [waiting, view.value]);
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusMain}>
        {words.general.skip}
      </button>
      <SideNavigation waiting={waiting} />
      <TopBar here={here} />
      <div class="banners">
        <StopBanner here={here} />
        {connection.value === "lost" && (
          <div class="banner warn" role="status">
            <Icon name="warning" />
            {words.shell.lost}
          </div>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with the keyboard */}
      <main id="main" class="main" tabIndex={0}>
        <OpenView here={here} />
      </main>
      <BottomNavigation waiting={waiting} />
      <Toasts />
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}

function OpenView({ here }: { readonly here: SignedIn }): JSX.Element {
  const name = view.value;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (name === "inbox" || fetched[name] !== undefined) return;
    void OTHERS[name]().then((found) => {
      fetched[name] = found;
      redraw((times) => times + 1);
    });
  }, [name]);
  const Found = fetched[name];
  return (
    <>
      <h1 class="visually-hidden">{words.views[name]}</h1>
      {Found === undefined ? (
        <p class="visually-hidden" role="status">
          {words.general.loading}
        </p>
      ) : (
        <Found here={here} />
      )}
    </>
  );
}

const GO: Readonly<Record<string, ViewName>> = {
  i: "inbox",
  c: "compose",
  l: "calendar",
  n: "analytics",
  m: "spend",
  v: "activity",
  p: "autopilot",
  d: "discovery",
  o: "policy",
  t: "setup",
};

const SECOND_KEY_MS = 1_500;

/** `g`, then the letter of a view. */
function useGoKeys(): void {
  const since = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isField =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      if (isField || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = GO[event.key];
      if (performance.now() - since.current < SECOND_KEY_MS && target !== undefined) {
        // Before the view's own keys see it.
        event.preventDefault();
        event.stopImmediatePropagation();
        since.current = Number.NEGATIVE_INFINITY;
        open(target);
      } else since.current = event.key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
    };
    addEventListener("keydown", pressed, { capture: true });
    return () => removeEventListener("keydown", pressed, { capture: true });
  }, []);
}

function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title={words.keys.title} onClose={onClose}>
      <dl class="keys">
        {words.keys.list.map(([keys, what]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <div class="row end">
        <button type="button" onClick={onClose}>
          {words.general.close}
        </button>
      </div>
    </Dialog>
  );
}
