import { type RawBuilder, type SqlBool, sql } from "kysely";

/** A receipt whose outcome is open. As the index on them says it: SQLite does not look into parameters to choose one. */
export const isOpen: RawBuilder<SqlBool> = sql<SqlBool>`state in ('pending', 'unknown')`;
