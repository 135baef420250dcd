import type { Session } from "../storage/store.ts";
import type { LoopName } from "./pass.ts";

/** The progress of a loop. */
export interface Progress {
  readonly cursor: string | null;
  /** Undefined before the first run. */
  readonly ranAt: number | undefined;
  readonly failures: number;
}

export async function progressOf({ store, account }: Session, name: LoopName): Promise<Progress> {
  const row = await store.db
    .selectFrom("loops")
    .select(["cursor", "ran_at", "failures"])
    .where("account", "=", account)
    .where("name", "=", name)
    .executeTakeFirst();
  return { cursor: row?.cursor ?? null, ranAt: row?.ran_at, failures: row?.failures ?? 0 };
}

export async function recordRun(
  { store, account }: Session,
  name: LoopName,
  now: number,
  isFailure: boolean,
): Promise<void> {
  await store.db
    .insertInto("loops")
    .values({ account, name, cursor: null, ran_at: now, failures: isFailure ? 1 : 0 })
    .onConflict((conflict) =>
      conflict.columns(["account", "name"]).doUpdateSet((eb) => ({
        ran_at: now,
        failures: isFailure ? eb("loops.failures", "+", 1) : 0,
      })),
    )
    .execute();
}

export async function moveCursor({ store, account }: Session, name: LoopName, cursor: string): Promise<void> {
  await store.db
    .insertInto("loops")
    .values({ account, name, cursor, ran_at: 0, failures: 0 })
    .onConflict((conflict) => conflict.columns(["account", "name"]).doUpdateSet({ cursor }))
    .execute();
}

/**
 * When a loop may run again. Each failure doubles the pause, up to one more hour. A run in the future was recorded with
 * a clock that was ahead, and is ignored.
 */
export function dueAt({ ranAt, failures }: Progress, everyMs: number, now: number): number {
  const step = Math.max(everyMs, MIN_STEP_MS);
  if (ranAt === undefined || ranAt > now + step) return Number.NEGATIVE_INFINITY;
  const backOff = failures === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, step * (2 ** Math.min(failures, 10) - 1));
  return ranAt + everyMs + backOff;
}

const MIN_STEP_MS = 60_000;
const MAX_BACK_OFF_MS = 3_600_000;
