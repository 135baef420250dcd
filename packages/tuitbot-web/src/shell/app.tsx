import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { base, session } from "../api/client.ts";
import { connection, startLive } from "../api/live.ts";
import { startSync } from "../api/unsaved-sync.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { useKeys } from "../parts/keys.ts";
import { useNotices } from "../parts/notices.ts";
import { Plain } from "../parts/post-text.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { Toasts } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";
import { Gate } from "./gate.tsx";
import { BottomNavigation, SideNavigation } from "./navigation.tsx";
import { Palette, usePaletteKeys } from "./palette.tsx";
import { useStatus } from "./status.ts";
import { StopBanner } from "./stop.tsx";
import { TopBar } from "./top-bar.tsx";
import { address, VIEWS, type View, view } from "./views.ts";

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

function Shell({ here }: { readonly here: SignedIn }): JSX.Element {
  const { value: status } = useStatus();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(startLive, []);
  useEffect(() => startSync(here), [here.account.id, here.person, here.role]);
  useGoKeys();
  usePaletteKeys();
  useNotices(status?.pending_approvals);
  useKeys({ "?": () => setHelpOpen(true) });
  const waiting = status?.pending_approvals ?? 0;
  useEffect(() => {
    const name = words.views[view.value.id];
    document.title = waiting > 0 ? `(${waiting}) ${name} · tuitbot` : `${name} · tuitbot`;
  }, [waiting, view.value]);
  return (
    <div class="app">
      <button type="button" class="skip" onClick={focusMain}>
        {words.general.skip}
      </button>
      <SideNavigation here={here} />
      <TopBar here={here} />
      <div class="banners">
        <StopBanner here={here} />
        {status?.blocked_by
          .filter(({ reason }) => reason !== "stopped_by_person")
          .map(({ reason, message, fix }) => (
            <div key={reason} class="banner warn" role="status">
              <Icon name="warning" />
              <Plain text={`${message} ${fix}`} />
            </div>
          ))}
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
      <BottomNavigation />
      <Toasts />
      <Palette here={here} />
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}

/** The components of the views that were opened, by id. */
const loaded = new Map(VIEWS.map(({ id, component }) => [id, component]));

function OpenView({ here }: { readonly here: SignedIn }): JSX.Element {
  const { id, load } = view.value;
  const [, redraw] = useState(0);
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    if (loaded.get(id) !== undefined) return;
    load().then(
      (component) => {
        loaded.set(id, component);
        redraw((times) => times + 1);
      },
      () => setFailed(id),
    );
  }, [id]);
  const isFailed = failed === id && loaded.get(id) === undefined;
  useEffect(() => {
    if (!isFailed) return;
    addEventListener("online", reloadIfServed);
    return () => removeEventListener("online", reloadIfServed);
  }, [isFailed]);
  const Component = loaded.get(id);
  return (
    <>
      <h1 class="visually-hidden">{words.views[id]}</h1>
      {isFailed ? (
        <div class="page">
          <ProblemBox problem={words.problems.unreachable} onRetry={reloadIfServed} />
        </div>
      ) : Component === undefined ? (
        <p class="visually-hidden" role="status">
          {words.general.loading}
        </p>
      ) : (
        <Component here={here} />
      )}
    </>
  );
}

/** Browsers do not load a part of a page again that they failed to load, so the page is loaded anew. */
function reloadIfServed(): void {
  fetch(`${base}/api/session`).then(
    () => location.reload(),
    // The error stays.
    () => {},
  );
}

const SECOND_KEY_MS = 1_500;

/** `g`, then the key of a view. */
function useGoKeys(): void {
  const since = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isField =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      if (isField || event.ctrlKey || event.metaKey || event.altKey) return;
      const target: View | undefined = VIEWS.find(({ key }) => key === event.key);
      if (performance.now() - since.current < SECOND_KEY_MS && target !== undefined) {
        // Before the view's own keys see it.
        event.preventDefault();
        event.stopImmediatePropagation();
        since.current = Number.NEGATIVE_INFINITY;
        location.hash = address(target);
      } else since.current = event.key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
    };
    addEventListener("keydown", pressed, { capture: true });
    return () => removeEventListener("keydown", pressed, { capture: true });
  }, []);
}

const viewKeys = () => [
  words.keys.toView(VIEWS.map(({ key }) => key).join(", ")),
  VIEWS.map(({ id }) => words.views[id]).join(", "),
];

function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title={words.keys.title} onClose={onClose}>
      <dl class="keys">
        {[...words.keys.list, viewKeys()].map(([keys, what]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}
