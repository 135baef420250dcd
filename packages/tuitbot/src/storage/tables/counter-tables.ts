import { DAY_MS, HOUR_MS } from "@toolpact/contract/internal";
import type { ApprovalStatus } from "./approval-tables.ts";
import type { ColumnTypes } from "./column-types.ts";

/** Counts and sums of other tables. Triggers update them with each row, so both always agree. */
export interface CounterTables {
  approval_counts: ApprovalCountRow;
  draft_news: DraftNewsRow;
  action_counts: ActionCountRow;
  usage_days: UsageDayRow;
  caller_days: CallerDayRow;
  llm_days: LlmDayRow;
}

/** Updated by the database. */
export interface ApprovalCountRow {
  readonly account: string;
  readonly status: ApprovalStatus;
  readonly items: number;
}

/** A draft changed from outside. The process that handles it deletes the row. */
export interface DraftNewsRow {
  readonly draft_id: number;
  readonly account: string;
  /** Grows, so a change during handling is not lost. */
  readonly news: number;
}

/** Audit entries per hour, updated by the database. */
export interface ActionCountRow {
  readonly account: string;
  /** Since the epoch. */
  readonly hour: number;
  readonly tool: string;
  readonly status: string;
  readonly actions: number;
}

/** From the ledger, updated by the database. */
export interface UsageDayRow {
  readonly account: string;
  /** Since the epoch. */
  readonly day: number;
  /** Empty for the total. */
  readonly operation: string;
  readonly calls: number;
  readonly micros: number;
  readonly failed: number;
}

/** Updated by the database. */
export interface CallerDayRow {
  readonly account: string;
  /** Since the epoch. */
  readonly day: number;
  readonly caller: string;
  readonly calls: number;
  readonly micros: number;
  readonly failed: number;
}

/** Updated by the database. */
export interface LlmDayRow {
  readonly account: string;
  /** Since the epoch. */
  readonly day: number;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Null without a known price. */
  readonly cost_micros: number | null;
}

export function counterTables({ integer, tableOptions, afterEachRow }: ColumnTypes): readonly string[] {
  return [
    `create table approval_counts (
      account text not null,
      status text not null,
      items ${integer} not null,
      primary key (account, status)
    )${tableOptions}`,
    ...afterEachRow({
      name: "approval_added",
      event: "insert on approvals",
      statements: [counted("new", 1)],
    }),
    ...afterEachRow({
      name: "approval_moved",
      event: "update of status on approvals",
      when: "old.status <> new.status",
      statements: [
        counted("old", -1),
        counted("new", 1),
        newsOf("approval_id = new.id and new.status in ('executed', 'failed', 'rejected', 'expired')"),
      ],
    }),
    ...afterEachRow({
      name: "approval_removed",
      event: "delete on approvals",
      statements: [counted("old", -1)],
    }),
    // Changed elsewhere, and not handled yet.
    `create table draft_news (
      draft_id ${integer} primary key,
      account text not null,
      news ${integer} not null
    )${tableOptions}`,
    "create index draft_news_account on draft_news (account, draft_id)",
    ...afterEachRow({
      name: "schedule_moved",
      event: "update of status, error_json on scheduled_posts",
      statements: [newsOf("schedule_id = new.id")],
    }),
    // It may have happened before.
    ...afterEachRow({
      name: "draft_waits",
      event: "update of status, approval_id, schedule_id on drafts",
      when: `new.status in ('queued', 'scheduled') and (old.status <> new.status
        or coalesce(old.approval_id, 0) <> coalesce(new.approval_id, 0)
        or coalesce(old.schedule_id, 0) <> coalesce(new.schedule_id, 0))`,
      statements: [newsOf("id = new.id")],
    }),
    `create table action_counts (
      account text not null,
      hour ${integer} not null,
      tool text not null,
      status text not null,
      actions ${integer} not null,
      primary key (account, hour, tool, status)
    )${tableOptions}`,
    ...afterEachRow({
      name: "action_added",
      event: "insert on audit",
      statements: [actionCounted("new", 1)],
    }),
    ...afterEachRow({
      name: "action_ended",
      event: "update of status on audit",
      when: "old.status <> new.status",
      statements: [actionCounted("old", -1), actionCounted("new", 1)],
    }),
    // The total has an empty operation.
    `create table usage_days (
      account text not null,
      day ${integer} not null,
      operation text not null,
      calls ${integer} not null,
      micros ${integer} not null,
      failed ${integer} not null,
      primary key (account, day, operation)
    )${tableOptions}`,
    "create index usage_days_total on usage_days (account, day) where operation = ''",
    ...afterEachRow({
      name: "request_added",
      event: "insert on ledger",
      statements: OPERATIONS.map((operation) =>
        usageCounted(operation, "1", "coalesce(new.settled_micros, new.estimated_micros)", "new.failed"),
      ),
    }),
    ...afterEachRow({
      name: "request_settled",
      event: "update of settled_micros, failed on ledger",
      statements: OPERATIONS.map((operation) =>
        usageCounted(
          operation,
          "0",
          `coalesce(new.settled_micros, new.estimated_micros)
          - coalesce(old.settled_micros, old.estimated_micros)`,
          "new.failed - old.failed",
        ),
      ),
    }),
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
      statements: [callerCounted("1", "coalesce(new.settled_micros, new.estimated_micros)", "new.failed")],
    }),
    ...afterEachRow({
      name: "caller_settled",
      event: "update of settled_micros, failed on ledger",
      statements: [
        callerCounted(
          "0",
          `coalesce(new.settled_micros, new.estimated_micros)
          - coalesce(old.settled_micros, old.estimated_micros)`,
          "new.failed - old.failed",
        ),
      ],
    }),
    // Today and this month, in all accounts.
    "create index caller_days_of_caller on caller_days (caller, day)",
    `create table llm_days (
      account text not null,
      day ${integer} not null,
      provider text not null,
      model text not null,
      calls ${integer} not null,
      failed ${integer} not null,
      input_tokens ${integer} not null,
      output_tokens ${integer} not null,
      cost_micros ${integer},
      primary key (account, day, provider, model)
    )${tableOptions}`,
    ...afterEachRow({
      name: "model_used",
      event: "insert on llm_usage",
      statements: [
        `insert into llm_days (account, day, provider, model, calls, failed, input_tokens, output_tokens, cost_micros)
        values (new.account, new.at / ${DAY_MS}, new.provider, new.model, 1, new.failed,
          coalesce(new.input_tokens, 0), coalesce(new.output_tokens, 0), new.cost_micros)
        on conflict (account, day, provider, model) do update set
          calls = llm_days.calls + 1,
          failed = llm_days.failed + excluded.failed,
          input_tokens = llm_days.input_tokens + excluded.input_tokens,
          output_tokens = llm_days.output_tokens + excluded.output_tokens,
          cost_micros = case
            when excluded.cost_micros is null then llm_days.cost_micros
            else coalesce(llm_days.cost_micros, 0) + excluded.cost_micros end`,
      ],
    }),
  ];
}

function counted(row: "old" | "new", by: 1 | -1): string {
  return `insert into approval_counts (account, status, items) values (${row}.account, ${row}.status, ${by})
    on conflict (account, status) do update set items = approval_counts.items + ${by}`;
}

function actionCounted(row: "old" | "new", by: 1 | -1): string {
  return `insert into action_counts (account, hour, tool, status, actions)
    values (${row}.account, ${row}.at / ${HOUR_MS}, ${row}.tool, ${row}.status, ${by})
    on conflict (account, hour, tool, status) do update set actions = action_counts.actions + ${by}`;
}

/** The request's, and the total. */
const OPERATIONS = ["new.operation", "''"] as const;

function usageCounted(
  operation: (typeof OPERATIONS)[number],
  calls: string,
  micros: string,
  failed: string,
): string {
  return `insert into usage_days (account, day, operation, calls, micros, failed)
    values (new.account, new.at / ${DAY_MS}, ${operation}, ${calls}, ${micros}, ${failed})
    on conflict (account, day, operation) do update set
      calls = usage_days.calls + excluded.calls,
      micros = usage_days.micros + excluded.micros,
      failed = usage_days.failed + excluded.failed`;
}

function callerCounted(calls: string, micros: string, failed: string): string {
  return `insert into caller_days (account, day, caller, calls, micros, failed)
    values (new.account, new.at / ${DAY_MS}, new.caller, ${calls}, ${micros}, ${failed})
    on conflict (account, day, caller) do update set
      calls = caller_days.calls + excluded.calls,
      micros = caller_days.micros + excluded.micros,
      failed = caller_days.failed + excluded.failed`;
}

function newsOf(drafts: string): string {
  return `insert into draft_news (draft_id, account, news) select id, account, 1 from drafts where ${drafts}
    on conflict (draft_id) do update set news = draft_news.news + 1`;
}
