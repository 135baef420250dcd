import type { Failure } from "@toolpact/contract";
import type { ConsentDecision, ConsentRequest, Decided } from "@toolpact/contract/internal/cli";
import { microsOf, usdOf } from "@toolpact/contract/internal/money";
import { freeName } from "@toolpact/contract/internal/text";
import { type Outcome, ok } from "@toolpact/outcome";
import type { Kysely } from "kysely";
import { type Agent, agentId, clientView, grantSubject } from "../../agents/agent.ts";
import { changeAgent, findAgent, listAgents, revokeAgent, saveAgent } from "../../agents/agents.ts";
import type { EffectiveConfig } from "../../config/effective-config.ts";
import type { WrittenLimit } from "../../config/written-limit.ts";
import { errors } from "../../errors.ts";
import type { Profile } from "../../profiles.ts";
import { overAllAccounts } from "../../storage/account-check.ts";
import type { Database } from "../../storage/database.ts";
import { dayNumber } from "../../storage/days.ts";
import type { AccountNames, Store } from "../../storage/store.ts";
import { activeAgents, clientRecords } from "./active-agents.ts";
import type { WebSession } from "./sessions.ts";

/** Waiting clients of this browser, and the end of earlier sign-ins. */
export interface ClientSignIn {
  readonly pending: (id: string) => Promise<ConsentRequest | undefined>;
  readonly decide: (id: string, decision: ConsentDecision) => Promise<Decided | undefined>;
  readonly revoke: (grant: string) => Promise<void>;
  /** Narrowest first. */
  readonly profiles: readonly Profile[];
  readonly accounts: readonly string[];
}

export interface ClientSession {
  readonly store: Store;
  readonly account: string;
  /** By name in the configuration, with the handle on X if known. */
  readonly names?: Pick<AccountNames, "username">;
  readonly configuredAs: string;
  readonly visitor: Pick<WebSession, "person" | "method">;
  readonly people: EffectiveConfig["people"];
  readonly now: number;
  /** Undefined if no client can sign in here, for example with a configured issuer. */
  readonly clients: ClientSignIn | undefined;
}

interface Permissions {
  readonly profile: Profile;
  /** To X and to models. */
  readonly calls_per_day: number;
  readonly usd_per_day: number;
}

/** For a new client. */
const DEFAULTS = { profile: "readonly", calls_per_day: 200, usd_per_day: 1 } as const satisfies Permissions;

/** With what it would get. */
export async function clientRequest(session: ClientSession, id: string) {
  const waiting = await session.clients?.pending(id);
  if (session.clients === undefined || waiting === undefined) return gone();
  const { client, scopes } = waiting;
  const { profiles, accounts } = session.clients;
  const known = await earlierAgents(session, client.id);
  const handles = await handlesOf(session);
  const [last] = known;
  const before = last && permissionsOf(last);
  // A client that returns with a profile's scope asks for more.
  const asked = last && profiles.findLast((profile) => scopes.includes(profile));
  const proposed: Permissions = {
    profile: asked ?? profiles.find((profile) => profile === before?.profile) ?? DEFAULTS.profile,
    calls_per_day: before?.calls_per_day ?? DEFAULTS.calls_per_day,
    usd_per_day: before?.usd_per_day ?? DEFAULTS.usd_per_day,
  };
  return ok({
    client: {
      name: client.name,
      host: client.host,
      is_on_device: client.isOnDevice,
      verified_by: client.verifiedBy ?? null,
    },
    /** With their handles on X, if known. */
    accounts: accounts.map((name) => ({ name, username: handles.get(name) ?? null })),
    profiles: [...profiles],
    /** Replaceable, last used first. */
    agents: known.map(({ name }) => name),
    proposed,
  });
}

/** Or refuses it. The browser continues at `location`. */
export async function decideClient(
  session: ClientSession,
  { request: id, ...chosen }: ClientChoice,
): Promise<Outcome<{ readonly location: string; readonly agent: string | null }, Failure>> {
  const { store, visitor, account, now, clients } = session;
  const waiting = await clients?.pending(id);
  if (clients === undefined || waiting === undefined) return gone();
  const { client, scopes } = waiting;
  if (!chosen.approve) {
    const refused = await clients.decide(id, { approve: false });
    return refused === undefined ? gone() : ok({ location: refused.location, agent: null });
  }
  const { profile, accounts } = chosen;
  if (!clients.profiles.includes(profile) || !accounts.every((name) => clients.accounts.includes(name)))
    return errors.fail("invalid_input", "This server does not have that profile or account.");
  const decided = await clients.decide(id, {
    approve: true,
    subject: visitor.person,
    scopes: scopes.filter((scope) => isWithin(scope, profile, clients.profiles)),
  });
  if (decided?.grantId === undefined) return gone();
  const replaced = (await earlierAgents(session, client.id)).find((agent) => agent.name === chosen.agent);
  const name = replaced?.name ?? freeName(client.name, await listAgents(store.db));
  await saveAgent(
    store.db,
    {
      ...{ name, profile, accounts, ...amountsOf(name, chosen) },
      ...{ perMonth: undefined, expiresAt: undefined, subject: grantSubject(decided.grantId) },
      client: {
        ...{ id: client.id, name: client.name, host: client.host, verified_by: client.verifiedBy ?? null },
        ...{ person: visitor.person, signed_in_by: visitor.method, account, grant: decided.grantId },
      },
    },
    now,
  );
  if (replaced?.client !== undefined) await clients.revoke(replaced.client.grant);
  return ok({ location: decided.location, agent: name });
}

/** A wider scope needs another sign-in. */
function isWithin(scope: string, chosen: Profile, profiles: readonly string[]): boolean {
  return profiles.indexOf(scope) <= profiles.indexOf(chosen);
}

export type ClientChoice =
  | { readonly request: string; readonly approve: false }
  | (AllowedClient & { readonly approve: true });

export interface AllowedClient extends Permissions {
  readonly request: string;
  /** Null adds an agent. */
  readonly agent: string | null;
  readonly accounts: readonly string[];
}

/** With permissions, last use and spending. */
export async function agentsView({ store, people, now, clients }: ClientSession) {
  const agents = await listAgents(store.db);
  const active = await activeAgents(store, agents, people, now);
  const spent = await spentToday(store.db, now);
  return {
    profiles: [...(clients?.profiles ?? [])],
    agents: agents.map((agent) => ({
      name: agent.name,
      client: agent.client === undefined ? null : clientView(agent.client),
      accounts: [...agent.accounts],
      ...permissionsOf(agent),
      spent_usd_today: usdOf(spent.get(agentId(agent)) ?? 0),
      created_at: new Date(agent.createdAt).toISOString(),
      last_used_at: agent.usedAt === undefined ? null : new Date(agent.usedAt).toISOString(),
      is_active: active.has(agent),
    })),
  };
}

/** From its next call on, with its tokens. */
export async function endAgent(session: ClientSession, name: string) {
  const { store, now, clients } = session;
  const agent = await findAgent(store.db, name);
  if (!(await revokeAgent(store.db, name, now))) return noAgent(name);
  if (agent?.client !== undefined) await clients?.revoke(agent.client.grant);
  return ok(await agentsView(session));
}

/** Returns the names of their agents. */
export async function endClientsOf(store: Store, person: string, now: number): Promise<readonly string[]> {
  const agents = await listAgents(store.db);
  const own = agents.filter(({ client, revokedAt }) => client?.person === person && !revokedAt);
  for (const { name, client } of own) {
    await revokeAgent(store.db, name, now);
    if (client !== undefined) await endGrant(store, client.grant, now);
  }
  return own.map(({ name }) => name);
}

/** For every server of the database. */
export async function endGrant(store: Store, grant: string, now: number): Promise<void> {
  await (await clientRecords(store, now)).revokeGrant(grant);
}

export interface PermittedAgent extends Permissions {
  readonly name: string;
}

/** From its next call on. */
export async function permitAgent(session: ClientSession, { name, ...permissions }: PermittedAgent) {
  const agent = await findAgent(session.store.db, name);
  if (agent === undefined) return noAgent(name);
  const { perDay, limits } = amountsOf(name, permissions);
  // Limits of single tools are set in the terminal.
  const others = agent.limits.filter((limit) => !isDailyTotal(limit));
  const change = { profile: permissions.profile, perDay, limits: [...others, ...limits] };
  return (await changeAgent(session.store.db, name, change)) ? ok(await agentsView(session)) : noAgent(name);
}

function amountsOf(agent: string, { calls_per_day, usd_per_day }: Permissions) {
  const limit: WrittenLimit = {
    ...{ key: `agent:${agent}:${ALL_PER_DAY}`, dimension: "global", match_value: "" },
    ...{ max_count: calls_per_day, period_seconds: 86_400 },
  };
  return { perDay: microsOf(usd_per_day), limits: [limit] };
}

const ALL_PER_DAY = "all/day";

function isDailyTotal({ dimension, period_seconds }: WrittenLimit): boolean {
  return dimension === "global" && period_seconds === 86_400;
}

function permissionsOf({ profile, perDay, limits }: Agent) {
  const all = limits.find(isDailyTotal);
  return {
    profile,
    calls_per_day: all?.max_count ?? null,
    usd_per_day: perDay === undefined ? null : usdOf(perDay),
  };
}

/** Last used first. A published client runs on several devices. */
async function earlierAgents({ store, visitor }: ClientSession, clientId: string): Promise<readonly Agent[]> {
  const agents = await listAgents(store.db);
  return agents
    .filter(
      ({ client, revokedAt }) => client?.id === clientId && client.person === visitor.person && !revokedAt,
    )
    .sort((one, other) => (other.usedAt ?? other.createdAt) - (one.usedAt ?? one.createdAt));
}

/** As X named it last. */
async function handlesOf({
  store,
  names,
  configuredAs,
}: ClientSession): Promise<ReadonlyMap<string, string>> {
  const rows = await overAllAccounts(store.db, "sign-in")
    .selectFrom("sign_ins")
    .select(["configured_as", "username"])
    .orderBy("seen_at")
    .execute();
  const handles = new Map(rows.map(({ configured_as, username }) => [configured_as, username]));
  return names === undefined ? handles : handles.set(configuredAs, names.username);
}

/** In all accounts. */
export async function spentToday(db: Kysely<Database>, now: number): Promise<ReadonlyMap<string, number>> {
  const rows = await overAllAccounts(db, "spending of an agent")
    .selectFrom("caller_days")
    .select(["caller", "micros"])
    .where("day", "=", dayNumber(now))
    .execute();
  const spent = new Map<string, number>();
  for (const { caller, micros } of rows) spent.set(caller, (spent.get(caller) ?? 0) + Number(micros));
  return spent;
}

function gone() {
  return errors.fail(
    "not_found",
    "This sign-in was started in another browser, was decided already, or took too long.",
    { suggestedFix: "Connect again in your client." },
  );
}

function noAgent(name: string) {
  return errors.fail("not_found", `No agent that may call is named ${JSON.stringify(name)}.`);
}
