import type { ColumnTypes } from "./migration.ts";

/** Who made each request to X, and what that adds up to in a day. Kept up by the database, as the other counters. */
export function callerTables({ integer, tableOptions, afterEachRow }: ColumnTypes): readonly string[] {
  return [
    // Empty where it was not recorded.
    "alter table ledger add column caller text not null default ''",
    `create table caller_days (
      account text not null,
      day ${integer} not null,
      caller text not null,
      calls ${integer} not null,
      micros ${integer} not null,
      failed ${integer} not null,
      primary key (account, day, caller)
    )${tableOptions}`,
    ...afterEachRow({
      name: "caller_added",
      event: "insert on ledger",
      statements: [counted("1", "coalesce(new.settled_micros, new.estimated_micros)", "new.failed")],
    }),
    ...afterEachRow({
      name: "caller_settled",
      event: "update of settled_micros, failed on ledger",
      statements: [
        counted(
          "0",
          `coalesce(new.settled_micros, new.estimated_micros)
          - coalesce(old.settled_micros, old.estimated_micros)`,
          "new.failed - old.failed",
        ),
      ],
    }),
  ];
}

function counted(calls: string, micros: string, failed: string): string {
  return `insert into caller_days (account, day, caller, calls, micros, failed)
    values (new.account, new.at / 86400000, new.caller, ${calls}, ${micros}, ${failed})
    on conflict (account, day, caller) do update set
      calls = caller_days.calls + excluded.calls,
      micros = caller_days.micros + excluded.micros,
      failed = caller_days.failed + excluded.failed`;
}
