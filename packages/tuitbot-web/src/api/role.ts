import type { Role, SignedIn } from "tuitbot/src/web/api.ts";

const ORDER: readonly Role[] = ["viewer", "approver", "owner"];

/** Whether somebody may do what a role is needed for. The server decides; the page does not offer what it refuses. */
export function may({ role }: Pick<SignedIn, "role">, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}
