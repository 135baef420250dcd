import type { CallEnding, Finished, NotBegun, StepStorage } from "./receipt.ts";
import type { RunSql, SqlValue } from "./sql.ts";
import type { Step } from "./step.ts";

export type SqlSteps = Omit<StepStorage, "abandoned" | "troubleOf">;

export type Transact = <T>(work: (run: RunSql) => Promise<T>) => Promise<T>;

/** Each method is one transaction. */
export function sqlSteps(
  scope: string,
  transact: Transact,
  /** For writes after the last request of a call. */
  transactEnding: Transact,
): SqlSteps {
  return {
    stepsOf: (receiptId) => transact((run) => stepsOf(run, scope, receiptId)),
    beginStep: (step, attempt, leaseUntil) =>
      transact((run) => beginStep(run, scope, step, attempt, leaseUntil)),
    endStep: (step, undone) => transact((run) => endStep(run, scope, step, undone)),
    openSteps: () =>
      transact(async (run) =>
        stepsFrom(
          await run(`select ${COLUMNS} from guard_steps where scope = ? and ${IS_OPEN} order by sent_at`, [
            scope,
          ]),
        ),
      ),
    doubtStep: ({ receipt_id, seq }) =>
      transact(async (run) => {
        await run(`update guard_steps set state = 'unknown', settled_at = null where ${IS_STEP}`, [
          scope,
          receipt_id,
          seq,
        ]);
      }),
    finish: (ending) => transactEnding((run) => finish(run, scope, ending)),
    saveResult: (receiptId, result) =>
      transact(async (run) => {
        await run(
          "update guard_receipts set result = ? where scope = ? and id = ? and state = 'done' and result is null",
          [JSON.stringify(result), scope, receiptId],
        );
      }),
    takeOver: ({ id, attempt }, leaseUntil) =>
      transact(async (run) => {
        // A call without recorded requests cannot be resolved.
        const rows = await run(
          `update guard_receipts set state = 'pending', attempt = attempt + 1, lease_until = ?
           where scope = ? and id = ? and attempt = ? and expected_steps > 0 and ${CAN_END} returning id`,
          [leaseUntil, scope, id, attempt],
        );
        return rows.length > 0;
      }),
    hasMade: (thing) =>
      transact(async (run) => {
        const rows = await run("select seq from guard_steps where scope = ? and makes = ?", [scope, thing]);
        return rows.length > 0;
      }),
    wasSentBefore: ({ receipt_id, seq, digest }) =>
      transact(async (run) => {
        const rows = await run(
          `select seq from guard_steps where scope = ? and digest = ? and status is null
           and (receipt_id <> ? or seq <> ?) limit 1`,
          [scope, digest, receipt_id, seq],
        );
        return rows.length > 0;
      }),
    continuedBy: (receiptId) =>
      transact(async (run) => {
        const [last] = await run(
          `select makes from guard_steps where scope = ? and receipt_id = ? and state = 'confirmed'
           order by seq desc limit 1`,
          [scope, receiptId],
        );
        const other = await tailOf(run, scope, last?.makes ?? null);
        return other === receiptId ? undefined : other;
      }),
  };
}

/** Columns are the members of `Step`. */
export const STEP_TABLES: readonly string[] = [
  `create table if not exists guard_steps (
    scope text not null, receipt_id text not null, seq bigint not null, operation text, method text not null,
    target text not null, body_json text, digest text not null, state text not null, sent_at bigint not null,
    effect_from bigint not null, effect_until bigint not null, settled_at bigint, status bigint, answer_text text,
    makes text, continues text, primary key (receipt_id, seq), unique (scope, makes), unique (scope, continues))`,
  "create index if not exists guard_steps_state on guard_steps (scope, state)",
  "create index if not exists guard_steps_digest on guard_steps (scope, digest)",
];

const NAMES = [
  "receipt_id",
  "seq",
  "operation",
  "method",
  "target",
  "body_json",
  "digest",
  "state",
  "sent_at",
  "effect_from",
  "effect_until",
  "settled_at",
  "status",
  "answer_text",
  "makes",
  "continues",
] as const satisfies readonly (keyof Step)[];
const COLUMNS = NAMES.join(", ");
const IS_STEP = "scope = ? and receipt_id = ? and seq = ?";
const IS_OPEN = "state in ('pending', 'unknown')";
const CAN_END = "state in ('pending', 'in_doubt') and settled_by is null";

export async function stepsOf(run: RunSql, scope: string, receiptId: string): Promise<readonly Step[]> {
  return stepsFrom(
    await run(`select ${COLUMNS} from guard_steps where scope = ? and receipt_id = ? order by seq`, [
      scope,
      receiptId,
    ]),
  );
}

function stepsFrom(rows: Awaited<ReturnType<RunSql>>): readonly Step[] {
  // Columns are named and typed as the members.
  return rows as unknown as readonly Step[];
}

async function beginStep(
  run: RunSql,
  scope: string,
  step: Step,
  attempt: number,
  leaseUntil: number,
): Promise<NotBegun | undefined> {
  const held = await run(
    `update guard_receipts set lease_until = ?
     where scope = ? and id = ? and attempt = ? and state = 'pending' returning id`,
    [leaseUntil, scope, step.receipt_id, attempt],
  );
  if (held.length === 0) return "taken_over";
  const other = await tailOf(run, scope, step.continues);
  if (other !== undefined) return { continuedBy: other };
  await run(`insert into guard_steps (scope, ${COLUMNS}) values (?, ${NAMES.map(() => "?").join(", ")})`, [
    scope,
    ...NAMES.map((name): SqlValue => step[name]),
  ]);
  return undefined;
}

async function tailOf(run: RunSql, scope: string, thing: SqlValue): Promise<string | undefined> {
  if (thing === null) return undefined;
  const [row] = await run("select receipt_id from guard_steps where scope = ? and continues = ?", [
    scope,
    thing,
  ]);
  return row && String(row.receipt_id);
}

async function endStep(run: RunSql, scope: string, step: Step, undone: string | undefined): Promise<boolean> {
  if (step.makes !== null) {
    const [maker] = await run("select receipt_id, seq from guard_steps where scope = ? and makes = ?", [
      scope,
      step.makes,
    ]);
    const isOther = maker !== undefined && (maker.receipt_id !== step.receipt_id || maker.seq !== step.seq);
    if (isOther) return false;
  }
  await updateStep(run, scope, step);
  if (undone !== undefined) await releaseUndone(run, scope, undone);
  return true;
}

/** Applies a person's finding, unless something else shows the outcome. */
export async function resolveSteps(
  run: RunSql,
  scope: string,
  receiptId: string,
  isDone: boolean,
  now: number,
): Promise<void> {
  await run(
    `update guard_steps set state = ?, settled_at = ? ${isDone ? "" : ", continues = null"}
     where scope = ? and receipt_id = ? and ${IS_OPEN}`,
    [isDone ? "confirmed" : "failed", now, scope, receiptId],
  );
}

async function updateStep(run: RunSql, scope: string, step: Step): Promise<void> {
  const { state, status, answer_text, effect_until, settled_at, makes, receipt_id, seq } = step;
  const isSure = state === "confirmed";
  // Reading back may have been faster. Only certain results replace it, and nothing continues from a failure.
  await run(
    `update guard_steps set state = ?, status = ?, answer_text = ?, effect_until = ?, settled_at = ?, makes = ?
     ${state === "failed" ? ", continues = null" : ""} where ${IS_STEP} ${isSure ? "" : `and ${IS_OPEN}`}`,
    [state, status, answer_text, effect_until, settled_at, makes, scope, receipt_id, seq],
  );
}

/** A call whose effects were all undone counts as new. */
async function releaseUndone(run: RunSql, scope: string, undone: string): Promise<void> {
  const [maker] = await run(
    `update guard_steps set makes = null, continues = null where scope = ? and makes = ? returning receipt_id`,
    [scope, undone],
  );
  if (maker === undefined) return;
  await run(
    `update guard_receipts set claim = null, is_undone = 1 where scope = ? and id = ?
     and not exists (select 1 from guard_steps where receipt_id = guard_receipts.id and makes is not null)`,
    [scope, maker.receipt_id ?? null],
  );
}

async function finish(
  run: RunSql,
  scope: string,
  { receiptId, attempt, result, failure, isOpen = false, step, lookAgainAt = 0, now }: CallEnding,
): Promise<Finished | undefined> {
  // With the same effect in another step, the call stays open until read back.
  if (step !== undefined && !(await endStep(run, scope, step, undefined))) return undefined;
  const [receipt] = await run("select expected_steps from guard_receipts where scope = ? and id = ?", [
    scope,
    receiptId,
  ]);
  const expected = Number(receipt?.expected_steps ?? 0);
  const steps = expected === 0 ? [] : await stepsOf(run, scope, receiptId);
  const stepsDone = steps.filter(({ state }) => state === "confirmed").length;
  const isInDoubt = expected === 0 ? isOpen : steps.some(({ state }) => OPEN.has(state));
  const isDone = result !== undefined || (!isInDoubt && stepsDone > 0 && stepsDone >= expected);
  const state = isDone ? "done" : isInDoubt ? "in_doubt" : stepsDone > 0 ? "partly_done" : "not_done";
  const rows = await run(
    `update guard_receipts set state = ?, lease_until = ?, result = ?, note = ?, settled_at = ?
     where scope = ? and id = ? and attempt = ? and ${CAN_END} returning id`,
    [
      state,
      lookAgainAt,
      result === undefined ? null : JSON.stringify(result),
      isDone ? null : (failure?.message ?? (isOpen ? "The tool failed because of a bug." : null)),
      state === "in_doubt" ? null : now,
      scope,
      receiptId,
      attempt,
    ],
  );
  if (rows.length === 0) return undefined;
  return { state: isDone ? "confirmed" : isInDoubt ? "unknown" : "failed", stepsDone };
}

const OPEN: ReadonlySet<string> = new Set(["pending", "unknown"]);
