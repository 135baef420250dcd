import type { ColumnTypes } from "./migration.ts";

/** Sign-ins that are kept in the database, for servers on several machines. */
export function signInTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table stored_sign_ins (
      name text primary key,
      sealed text,
      renewing ${integer} not null,
      holder text,
      held_until ${integer} not null
    )${tableOptions}`,
  ];
}
