/** A viewer reads what is stored, an approver also decides about items, an owner does everything. */
export const ROLES = ["viewer", "approver", "owner"] as const;

export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

/** Whether somebody with one role may do what another role is needed for. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
