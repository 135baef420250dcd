import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { switchAccount } from "../api/client.ts";
import { Dialog, DialogEnd } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Avatar } from "../parts/post-card.tsx";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";

/** The account that the dashboard is about, and that it is simulated if it is. With several, a menu of them. */
export function AccountName({ here }: { readonly here: SignedIn }): JSX.Element {
  const [near, setNear] = useState<DOMRect>();
  const { username, id } = here.account;
  const handle = username === null ? id : `@${username}`;
  const inside = (
    <>
      <Avatar name={handle} isOwn />
      <span class="account-text">
        <span class="handle">{handle}</span>
        {here.is_sandbox && (
          <span class="chip" title={words.shell.sandboxTitle}>
            {words.shell.sandbox}
          </span>
        )}
      </span>
    </>
  );
  if (here.accounts.length === 0) return <span class="account">{inside}</span>;
  return (
    <>
      <button
        type="button"
        class="account"
        aria-haspopup="dialog"
        aria-label={`${handle}: ${words.shell.accounts.title}`}
        onClick={(event) => setNear(event.currentTarget.getBoundingClientRect())}
      >
        {inside}
        <Icon name="down" size={16} />
      </button>
      {near !== undefined && <AccountMenu here={here} near={near} onClose={() => setNear(undefined)} />}
    </>
  );
}

interface MenuProps {
  readonly here: SignedIn;
  readonly near: DOMRect;
  readonly onClose: () => void;
}

function AccountMenu({ here, near, onClose }: MenuProps): JSX.Element {
  return (
    <Dialog title={words.shell.accounts.title} near={near} onClose={onClose}>
      <ul class="accounts">
        {here.accounts.map(({ name, is_this }) => (
          <li key={name}>
            <button
              type="button"
              aria-current={is_this}
              disabled={is_this}
              onClick={() => void openAccount(name)}
            >
              <Avatar name={name} isOwn={is_this} />
              <span class="handle">{name}</span>
              {is_this && <Icon name="check" size={16} />}
            </button>
          </li>
        ))}
      </ul>
      <DialogEnd onClose={onClose} />
    </Dialog>
  );
}

/** Switches to another account, and reports if that fails. */
export async function openAccount(name: string): Promise<void> {
  const answer = await switchAccount(name);
  if (!answer.ok) toast(`${answer.failure.message} ${answer.failure.fix ?? ""}`.trim());
}
