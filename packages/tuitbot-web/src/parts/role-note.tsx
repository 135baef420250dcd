import type { JSX } from "preact";
import type { Role, SignedIn } from "tuitbot/src/web/api.ts";
import { words } from "../text/words.ts";
import { Icon } from "./icons.tsx";

interface Props {
  readonly here: Pick<SignedIn, "role">;
  readonly needs: Role;
  readonly what: keyof typeof words.roles.needs;
}

/** Explains to users without the role why an action is unavailable. */
export function RoleNote({ here, needs, what }: Props): JSX.Element | null {
  if (may(here, needs)) return null;
  return (
    <p class="role-note soft small">
      <Icon name="person" size={16} />
      {words.roles.lacks(words.roles.needs[what], words.roles.names[needs], words.roles.names[here.role])}
    </p>
  );
}

const ORDER: readonly Role[] = ["viewer", "approver", "owner"];

/** Whether somebody may do what a role is needed for. The server decides; the page does not offer what it refuses. */
export function may({ role }: Pick<SignedIn, "role">, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}
