export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export type RunSql = (statement: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** The part of an SQL database that the guards use. */
export interface SqlDatabase {
  /** The type of an auto-incrementing column. */
  readonly serial: string;
  /** One transaction. Those of a scope run one at a time across all processes. */
  readonly transact: <T>(scope: string, work: (run: RunSql) => Promise<T>) => Promise<T>;
  /** The same without waiting for the disk: a power failure may lose it, until a later transaction that waits. */
  readonly transactUnsynced?: SqlDatabase["transact"];
  readonly close: () => Promise<void>;
}
