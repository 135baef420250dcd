/** A value of a column: texts, whole numbers that are safe, and null. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Runs one statement with `?` for its values, and gives the rows that it returns. */
export type RunSql = (statement: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** A database that speaks SQL, as far as the guards use it. */
export interface SqlDatabase {
  /** The type of a column that numbers itself. */
  readonly serial: string;
  /** Runs the work as one transaction, one at a time among all processes of this scope. */
  readonly transact: <T>(scope: string, work: (run: RunSql) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}
