import { DAY_MS, MINUTE_MS } from "../clock.ts";
import type { Micros } from "../guards/money.ts";
import type { RunSql, SqlDatabase, SqlRow } from "../guards/sql.ts";
import { spentIn } from "../guards/sql-needs.ts";
import type { ConsentClient } from "../oauth/consent.ts";
import type { PolicyCaller } from "./policy.ts";

/** A client that was signed in, with its permissions. */
export interface GateClient extends ClientPermissions {
  /** Its name in logs and commands; rules see `client:NAME`. */
  readonly name: string;
  readonly grantId: string;
  readonly client: Omit<ConsentClient, "isOnDevice">;
  readonly createdAt: number;
  readonly usedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** The permissions that the user chose, within the policy. */
export interface ClientPermissions {
  /** False: only calls under the rule `read_only`. */
  readonly mayWrite: boolean;
  readonly callsPerDay: number;
  readonly usdPerDay: number;
}

/** The signed-in clients of a gate, in its database. */
export interface GateClients {
  /** Adds a client, or replaces the one of this name. */
  readonly save: (client: Omit<GateClient, "usedAt" | "revokedAt">) => Promise<void>;
  /** The client of a grant, unless it was revoked. */
  readonly withGrant: (grantId: string) => Promise<GateClient | undefined>;
  readonly list: () => Promise<readonly GateClient[]>;
  /** False if no client of this name may call. */
  readonly change: (name: string, permissions: ClientPermissions) => Promise<boolean>;
  readonly revoke: (name: string) => Promise<boolean>;
  readonly spentToday: (name: string) => Promise<Micros>;
}

const PREFIX = "client:";

/** The principal of a signed-in client. */
export function principalOfClient(name: string): string {
  return `${PREFIX}${name}`;
}

/** The name of the client in a principal; undefined for other callers. */
export function clientIn(principal: string | undefined): string | undefined {
  return principal?.startsWith(PREFIX) ? principal.slice(PREFIX.length) : undefined;
}

/** The owner of the rows of a gate's sign-in. */
export function signInScope(gate: string): string {
  return `gate ${gate}`;
}

export async function openClients(
  database: SqlDatabase,
  scope: string,
  now: () => number,
): Promise<GateClients> {
  const transact = <T>(work: (run: RunSql) => Promise<T>) => database.transact(`${scope} clients`, work);
  // Replicas create the table one at a time.
  await database.transact("", async (run) => {
    await run(TABLE);
  });
  return {
    save: ({ name, grantId, client, createdAt, ...permissions }) =>
      transact(async (run) => {
        await run("delete from gate_clients where scope = ? and name = ?", [scope, name]);
        await run(
          `insert into gate_clients (scope, name, grant_id, client, permissions, created_at)
           values (?, ?, ?, ?, ?, ?)`,
          [scope, name, grantId, JSON.stringify(client), JSON.stringify(permissions), createdAt],
        );
      }),
    withGrant: (grantId) =>
      transact(async (run) => {
        const [row] = await run(
          "select * from gate_clients where scope = ? and grant_id = ? and revoked_at is null",
          [scope, grantId],
        );
        const at = now();
        // Rounded to the minute: most calls then write nothing.
        if (row !== undefined && at - Number(row.used_at ?? 0) >= MINUTE_MS)
          await run("update gate_clients set used_at = ? where scope = ? and grant_id = ?", [
            at,
            scope,
            grantId,
          ]);
        return row && clientFrom(row);
      }),
    list: () =>
      transact(async (run) => {
        const rows = await run("select * from gate_clients where scope = ? order by name", [scope]);
        return rows.map(clientFrom);
      }),
    change: (name, { mayWrite, callsPerDay, usdPerDay }) =>
      transact(async (run) => {
        const changed = await run(
          `update gate_clients set permissions = ?
           where scope = ? and name = ? and revoked_at is null returning name`,
          [JSON.stringify({ mayWrite, callsPerDay, usdPerDay }), scope, name],
        );
        return changed.length > 0;
      }),
    revoke: (name) =>
      transact(async (run) => {
        const revoked = await run(
          `update gate_clients set revoked_at = ?
           where scope = ? and name = ? and revoked_at is null returning name`,
          [now(), scope, name],
        );
        return revoked.length > 0;
      }),
    spentToday: (name) =>
      transact(async (run) => (await spentIn(run, scope, now(), principalOfClient(name))).day),
  };
}

/** The client as a caller of the policy, with its own limit and budget. */
export function callerOfClient({ name, callsPerDay, usdPerDay }: GateClient): PolicyCaller {
  const principal = principalOfClient(name);
  return {
    name: principal,
    tokenDigest: undefined,
    limits: [{ max: callsPerDay, periodMs: DAY_MS, principal }],
    budget: { usdPerDay },
  };
}

const TABLE = `create table if not exists gate_clients (
  scope text not null, name text not null, grant_id text not null, client text not null, permissions text not null,
  created_at bigint not null, used_at bigint, revoked_at bigint, primary key (scope, name))`;

function clientFrom(row: SqlRow): GateClient {
  const time = (at: SqlRow[string] | undefined) => (at === null || at === undefined ? undefined : Number(at));
  return {
    // Both were written above as JSON of these shapes.
    ...(JSON.parse(String(row.permissions)) as ClientPermissions),
    client: JSON.parse(String(row.client)) as GateClient["client"],
    name: String(row.name),
    grantId: String(row.grant_id),
    createdAt: Number(row.created_at),
    usedAt: time(row.used_at),
    revokedAt: time(row.revoked_at),
  };
}
