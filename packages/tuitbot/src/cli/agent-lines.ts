import { usdOf } from "@toolpact/contract/internal/money";
import { type Agent, clientView } from "../agents/agent.ts";

/** Whether an agent may call, and when it called last. */
export function stateOf(
  { revokedAt, expiresAt, usedAt }: Agent,
  { isActive, now }: { readonly isActive: boolean; readonly now: number },
): string {
  if (revokedAt !== undefined) return `revoked ${dateOf(revokedAt)}`;
  if (expiresAt !== undefined && expiresAt <= now) return `expired ${dateOf(expiresAt)}`;
  if (!isActive) return "signed out";
  const used = usedAt === undefined ? "never called" : `called last ${dateOf(usedAt)}`;
  return expiresAt === undefined ? used : `${used}, ends ${dateOf(expiresAt)}`;
}

/** An agent for programs. */
export function agentJson(agent: Agent, isActive: boolean) {
  const { name, profile, accounts, perDay, perMonth, limits } = agent;
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    name,
    profile,
    accounts: [...accounts],
    budget_usd_per_day: perDay === undefined ? null : usdOf(perDay),
    budget_usd_per_month: perMonth === undefined ? null : usdOf(perMonth),
    limits: limits.map((limit) => ({ ...limit })),
    subject: agent.client === undefined ? (agent.subject ?? null) : null,
    client: agent.client === undefined ? null : clientView(agent.client),
    created_at: iso(agent.createdAt),
    expires_at: iso(agent.expiresAt),
    revoked_at: iso(agent.revokedAt),
    last_used_at: iso(agent.usedAt),
    is_active: isActive,
  };
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
