import { CompiledQuery, type Dialect, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { statementBatches } from "./postgres-batch.ts";
import { StorageError, type StorageTrouble } from "./storage-error.ts";

export interface PostgresOptions {
  readonly poolSize?: number | undefined;
  /** 0 for no limit. */
  readonly statementTimeoutMs?: number | undefined;
}

export interface PoolFigures {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

export function postgresDialect(
  url: string,
  { poolSize = 10, statementTimeoutMs = 60_000 }: PostgresOptions = {},
): { readonly dialect: Dialect; readonly pool: () => PoolFigures } {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    // A lost machine would hold its locks for hours.
    idle_in_transaction_session_timeout: statementTimeoutMs,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // Detects an unreachable machine.
    keepAlive: true,
    // With idle connections.
    allowExitOnIdle: true,
    types: { getTypeParser },
  });
  // The pool replaces a lost connection. Its event, unhandled, would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    dialect: new PostgresDialect({
      pool: {
        options: pool.options,
        connect: async () => usedUntilLost(await pool.connect()),
        end: () => pool.end(),
      },
    }),
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** The same object while pooled. */
function usedUntilLost(client: pg.PoolClient): PostgresPoolClient {
  let known = clients.get(client);
  if (known === undefined) {
    known = pooledClient(client);
    clients.set(client, known);
  }
  return known;
}

const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/**
 * PostgreSQL announces the end of a connection; without this, the pool would lend it again. A single
 * statement that lost a conflict is retried.
 */
function pooledClient(client: pg.PoolClient): PostgresPoolClient {
  const send = statementBatches(client, { getTypeParser });
  let isLost = false;
  let inTransaction = false;
  const query = async (text: string, values: readonly unknown[]) => {
    const isBegin = BEGINS.test(text);
    inTransaction ||= isBegin;
    const canRepeat = !inTransaction;
    if (ENDS.test(text)) inTransaction = false;
    const statement = { name: statementName(text), text, values };
    if (isBegin) return send.first(statement);
    if (text === "rollback" && send.forget()) return NOTHING;
    for (let tries = 1; ; tries++)
      try {
        return await send.now(statement);
      } catch (error) {
        const { kind, isFinal } = postgresError(error);
        isLost ||= kind === "unreachable";
        if (!canRepeat || kind !== "busy" || isFinal || tries === MAX_TRIES) throw error;
      }
  };
  return {
    // Kysely's type also has cursors.
    query: query as unknown as PostgresPoolClient["query"],
    release: (isDiscarded?: boolean) => client.release(isLost || isDiscarded === true),
  };
}

const BEGINS = /^(begin|start transaction)\b/i;
const ENDS = /^(commit|rollback)$/i;
const NOTHING = { command: "", rowCount: 0, rows: [] };

/** After a conflict. */
const MAX_TRIES = 10;

/** Undefined for unnamed statements, such as lists of many lengths. */
function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  const name = `tuitbot_${names.size}`;
  names.set(text, name);
  return name;
}

const names = new Map<string, string>();
const MAX_STATEMENTS = 500;

/** Overrides an asynchronous commit. Stricter settings stay. */
export const onDisk = CompiledQuery.raw(
  "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'",
);

export function postgresError(error: unknown): StorageError {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  // It may contain the address, which is secret.
  if (code === undefined || UNREACHABLE.test(code))
    return new StorageError("unreachable", "PostgreSQL cannot be reached.", { cause: error });
  if (code === "57014")
    return new StorageError("busy", "A statement took longer than storage.statement_timeout_ms.", {
      cause: error,
      isFinal: true,
    });
  if (code.startsWith("28"))
    return new StorageError("denied", "PostgreSQL refuses the sign-in.", { cause: error });
  return new StorageError(TROUBLES.get(code) ?? "failed", message ?? "unknown error", { cause: error });
}

/** Times and micro-dollars are below 2^53. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (id, format) =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format);

/** Sockets, and PostgreSQL's 08, 3D, 57P, 25P03 and 53300. */
const UNREACHABLE = /^(E[A-Z_]+|08...|3D...|57P..|25P03|53300)$/;

const TROUBLES: ReadonlyMap<string, StorageTrouble> = new Map([
  ["40001", "busy"], // serialization failure
  ["40P01", "busy"], // deadlock
  ["55P03", "busy"], // lock not available
  ["53100", "full"],
  ["42501", "denied"],
  ["25006", "denied"], // read-only transaction
  ["XX001", "damaged"],
  ["XX002", "damaged"], // index corrupted
]);
