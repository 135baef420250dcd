import { createHash } from "node:crypto";
import { DAY_MS, HOUR_MS } from "../clock.ts";
import type { RunSql, SqlDatabase, SqlRow } from "../guards/sql.ts";
import type { JsonObject } from "../json.ts";

/** Stored in SQLite or PostgreSQL, secret ids as SHA-256 only. */
export interface Records {
  readonly save: (
    model: string,
    id: string,
    payload: JsonObject,
    seconds: number | undefined,
  ) => Promise<void>;
  readonly find: (model: string, id: string) => Promise<JsonObject | undefined>;
  /** Marks a code, refresh token or decision as used. False if it was. */
  readonly consume: (model: string, id: string) => Promise<boolean>;
  readonly remove: (model: string, id: string) => Promise<void>;
  /** With its codes and tokens. */
  readonly revokeGrant: (grantId: string) => Promise<void>;
  /** Counts an act without sign-in. False after too many in an hour, from this sender or in total. */
  readonly admit: (act: OpenAct, sender: string) => Promise<boolean>;
}

/** They store or request something for anyone. */
export type OpenAct = keyof typeof HOURLY;

const HOURLY = {
  Registration: { perSender: 30, inAll: 300 },
  /** A browser sent to sign in. */
  Authorization: { perSender: 100, inAll: 3_000 },
  /** A metadata document that is not cached. */
  Document: { perSender: 30, inAll: 300 },
} as const;

/** Unused clients are deleted after this time, used ones a year after their last token. */
const UNUSED_CLIENT_MS = 30 * DAY_MS;
const USED_CLIENT_MS = 365 * DAY_MS;
/** The newest stay, or registrations within the hourly limit would fill the disk. */
const MAX_UNUSED_CLIENTS = 2_000;
/** Some clients send one refresh token twice at once. Only later reuse revokes the grant. */
const PARALLEL_REFRESH_MS = 10_000;

export async function openRecords(database: SqlDatabase, scope: string, now: () => number): Promise<Records> {
  const transact = <T>(work: (run: RunSql) => Promise<T>) => database.transact(`${scope} sign-in`, work);
  // Replicas create the table one at a time.
  await database.transact("", async (run) => {
    for (const statement of TABLE) await run(statement);
  });
  return {
    save: (model, id, { jti: _id, ...payload }, seconds) =>
      transact(async (run) => {
        const at = now();
        await run("delete from sign_in_records where scope = ? and expires_at <= ?", [scope, at]);
        const lifetime = seconds === undefined ? UNUSED_CLIENT_MS : seconds * 1_000;
        await run(
          `insert into sign_in_records (scope, model, id, grant_id, payload, created_at, expires_at)
           values (?, ?, ?, ?, ?, ?, ?)
           on conflict (scope, model, id) do update
           set grant_id = excluded.grant_id, payload = excluded.payload, expires_at = excluded.expires_at`,
          [scope, model, hashOf(id), textOf(payload.grantId), JSON.stringify(payload), at, at + lifetime],
        );
        if (model === "Client")
          await run(
            `delete from sign_in_records where scope = ? and model = 'Client' and id in (
               select id from sign_in_records where scope = ? and model = 'Client' and expires_at <= created_at + ?
               order by created_at desc limit ? offset ?)`,
            [scope, scope, UNUSED_CLIENT_MS, MAX_UNUSED_CLIENTS, MAX_UNUSED_CLIENTS],
          );
        const { clientId } = payload;
        if (model === "RefreshToken" && typeof clientId === "string")
          await run(
            "update sign_in_records set expires_at = ? where scope = ? and model = 'Client' and id = ?",
            [at + USED_CLIENT_MS, scope, hashOf(clientId)],
          );
      }),
    find: (model, id) =>
      transact(async (run) => {
        const at = now();
        const [row] = await run(
          "select payload, consumed_at from sign_in_records where scope = ? and model = ? and id = ? and expires_at > ?",
          [scope, model, hashOf(id), at],
        );
        return row && recordFrom(row, model, id, at);
      }),
    consume: (model, id) =>
      transact(async (run) => {
        const rows = await run(
          `update sign_in_records set consumed_at = ?
           where scope = ? and model = ? and id = ? and consumed_at is null returning id`,
          [now(), scope, model, hashOf(id)],
        );
        return rows.length > 0;
      }),
    remove: (model, id) =>
      transact(async (run) => {
        await run("delete from sign_in_records where scope = ? and model = ? and id = ?", [
          scope,
          model,
          hashOf(id),
        ]);
      }),
    revokeGrant: (grantId) =>
      transact(async (run) => {
        await run(
          "delete from sign_in_records where scope = ? and (grant_id = ? or (model = 'Grant' and id = ?))",
          [scope, grantId, hashOf(grantId)],
        );
      }),
    admit: (act, sender) =>
      transact(async (run) => {
        const at = now();
        const [counted] = await run(
          `select count(*) as total, sum(case when grant_id = ? then 1 else 0 end) as own
           from sign_in_records where scope = ? and model = ? and expires_at > ?`,
          [sender, scope, act, at],
        );
        const { total, own } = counted ?? {};
        const { perSender, inAll } = HOURLY[act];
        if (Number(total) >= inAll || Number(own) >= perSender) return false;
        await run(
          `insert into sign_in_records (scope, model, id, grant_id, payload, created_at, expires_at)
           values (?, ?, ?, ?, '{}', ?, ?)`,
          [scope, act, crypto.randomUUID(), sender, at, at + HOUR_MS],
        );
        return true;
      }),
  };
}

const TABLE = [
  `create table if not exists sign_in_records (
    scope text not null, model text not null, id text not null, grant_id text, payload text not null,
    created_at bigint not null, expires_at bigint not null, consumed_at bigint,
    primary key (scope, model, id))`,
  "create index if not exists sign_in_records_grant on sign_in_records (scope, grant_id)",
  "create index if not exists sign_in_records_end on sign_in_records (scope, expires_at)",
];

function recordFrom(
  { payload, consumed_at }: SqlRow,
  model: string,
  id: string,
  now: number,
): JsonObject | undefined {
  const consumedAt = consumed_at === null ? undefined : Number(consumed_at);
  if (model === "RefreshToken" && consumedAt !== undefined && now - consumedAt < PARALLEL_REFRESH_MS)
    return undefined;
  return {
    // Written as JSON of an object.
    ...(JSON.parse(String(payload)) as JsonObject),
    jti: id,
    ...(consumedAt !== undefined && { consumed: Math.floor(consumedAt / 1_000) }),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
