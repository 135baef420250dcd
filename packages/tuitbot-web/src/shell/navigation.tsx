import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { session } from "../api/client.ts";
import { now } from "../format/clock.ts";
import { since } from "../format/dates.ts";
import { count } from "../format/numbers.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { words } from "../text/words.ts";
import { AccountName } from "./accounts.tsx";
import { openPalette } from "./palette.tsx";
import { useStatus } from "./status.ts";
import { address, VIEWS, type View, view } from "./views.ts";

/** The views, at the side of a wide screen. */
export function SideNavigation({ here }: { readonly here: SignedIn }): JSX.Element {
  const groups = new Set(VIEWS.map(({ group }) => group));
  return (
    <nav class="nav" aria-label={words.shell.main}>
      <AccountName here={here} />
      <button type="button" class="search" onClick={openPalette} title={words.palette.open}>
        <Icon name="search" size={16} />
        <span class="label">{words.palette.open}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {[...groups].map((group) => (
        <ul key={group}>
          {VIEWS.filter((one) => one.group === group).map((one) => (
            <li key={one.id}>
              <ViewLink of={one} />
            </li>
          ))}
        </ul>
      ))}
      <div class="nav-foot">
        <Alive />
      </div>
    </nav>
  );
}

function ViewLink({ of }: { readonly of: View }): JSX.Element {
  const { value: status } = useStatus();
  const badge = status === undefined ? 0 : (of.badge?.(status) ?? 0);
  return (
    <a href={address(of)} aria-current={view.value === of ? "page" : undefined} title={words.views[of.id]}>
      <Icon name={of.id} />
      <span class="label">{words.views[of.id]}</span>
      {badge > 0 && <span class="badge">{count(badge)}</span>}
    </a>
  );
}

/** The views, at the bottom of a phone. */
export function BottomNavigation(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const others = VIEWS.filter(({ isTab }) => isTab !== true);
  return (
    <nav class="tabs" aria-label={words.shell.main}>
      {VIEWS.filter(({ isTab }) => isTab).map((one) => (
        <ViewLink key={one.id} of={one} />
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-current={others.includes(view.value) ? "page" : undefined}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
        {words.general.more}
      </button>
      {isOpen && (
        <Dialog title={words.general.more} isSheet onClose={() => setOpen(false)}>
          <ul class="more-views">
            <li>
              <a
                href={address(view.value)}
                onClick={(event) => {
                  event.preventDefault();
                  setOpen(false);
                  openPalette();
                }}
              >
                <Icon name="search" />
                {words.palette.open}
              </a>
            </li>
            {others.map((one) => (
              <li key={one.id}>
                <a href={address(one)} onClick={() => setOpen(false)}>
                  <Icon name={one.id} />
                  {words.views[one.id]}
                </a>
              </li>
            ))}
          </ul>
          <Alive />
        </Dialog>
      )}
    </nav>
  );
}

/** Whether the loop works, and whether everything is stopped. */
function Alive(): JSX.Element {
  const { value } = useStatus();
  const here = session.value;
  const stop = here?.signed_in ? here.stop : null;
  const { alive = false, last_worked_at: last = null } = value?.runner ?? {};
  return (
    <div class="alive-list">
      {stop !== null && (
        <span class="alive">
          <i class="dot bad" />
          {words.shell.stopped}
        </span>
      )}
      <span class="alive">
        <i class={`dot ${alive ? "ok" : "warn"}`} />
        <span>
          {alive ? words.shell.loopAlive : words.shell.loopNone}
          {last !== null && `, ${words.shell.loopLast(since(last, now.value))}`}
        </span>
      </span>
    </div>
  );
}
