import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, Mark } from "../parts/icons.tsx";
import { words } from "../text/en.ts";
import { Alive } from "./alive.tsx";
import { address, GROUPS, type ViewName, view } from "./route.ts";

interface Props {
  readonly waiting: number;
}

/** The views, at the side of a wide screen. */
export function SideNavigation({ waiting }: Props): JSX.Element {
  return (
    <nav class="nav" aria-label={words.shell.main}>
      <div class="brand">
        <Mark />
        tuitbot
      </div>
      {GROUPS.map((group) => (
        <ul key={group[0]}>
          {group.map((name) => (
            <li key={name}>
              <ViewLink name={name} waiting={waiting} />
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

function ViewLink({ name, waiting }: Props & { readonly name: ViewName }): JSX.Element {
  return (
    <a href={address(name)} aria-current={view.value === name ? "page" : undefined}>
      <Icon name={name} />
      {words.views[name]}
      {name === "inbox" && waiting > 0 && <span class="badge">{count(waiting)}</span>}
    </a>
  );
}

const TABS = ["inbox", "compose", "calendar", "activity"] as const satisfies readonly ViewName[];

/** The views, at the bottom of a phone. */
export function BottomNavigation({ waiting }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const others = GROUPS.flat().filter((name) => !TABS.some((tab) => tab === name));
  return (
    <nav class="tabs" aria-label={words.shell.main}>
      {TABS.map((name) => (
        <ViewLink key={name} name={name} waiting={waiting} />
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
            {others.map((name) => (
              <li key={name}>
                <a href={address(name)} onClick={() => setOpen(false)}>
                  <Icon name={name} />
                  {words.views[name]}
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
