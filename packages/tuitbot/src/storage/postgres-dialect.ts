import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";
import { StorageError } from "./storage-error.ts";

/** Kysely on PostgreSQL. Integers are returned as numbers: times and micro-dollars are below 2^53. */
export function postgresDialect(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // The process can end while connections are idle.
    allowExitOnIdle: true,
    types: { getTypeParser: (id, format) => (id === INT8 ? Number : pg.types.getTypeParser(id, format)) },
  });
  // A broken idle connection is replaced with the next query; an unhandled error event would end the process.
  pool.on("error", () => {});
  return new PostgresDialect({ pool });
}

export function postgresError(error: unknown): StorageError {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  // The message of a failed connection may contain the address, which is secret.
  if (code === undefined || UNREACHABLE.test(code))
    return new StorageError("unreachable", "PostgreSQL cannot be reached.", { cause: error });
  return new StorageError(BUSY.has(code) ? "busy" : "failed", message ?? "unknown error", { cause: error });
}

const MAX_CONNECTIONS = 10;
const INT8 = pg.types.builtins.INT8;

/** Errors of sockets, and PostgreSQL's classes for connections (08), logins (28), unknown databases (3D) and shutdown (57P). */
const UNREACHABLE = /^(E[A-Z_]+|08...|28...|3D...|57P..|53300)$/;

/** Serialization failure, deadlock, lock not available. */
const BUSY: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);
