import { parseJson } from "@toolpact/contract/internal";
import type { Session } from "../storage/store.ts";

import type { LoopEnd, LoopName } from "./pass.ts";

export interface Progress {
  readonly cursor: string | null;
  /** Undefined before the first run. */
  readonly ranAt: number | undefined;
  readonly failures: number;
  /** By a person. */
  readonly off: SwitchedOff | undefined;
  readonly last: LastRun | undefined;
}

export interface SwitchedOff {
  readonly at: number;
  readonly by: string;
}

export type LastRun = Extract<LoopEnd, { status: "completed" }> | FailedRun;

interface FailedRun {
  readonly status: "failed";
  readonly message: string;
}

export async function progressOf({ store, account }: Session, name: LoopName): Promise<Progress> {
  const row = await store.db
    .selectFrom("loops")
    .select(["cursor", "ran_at", "failures", "off_at", "off_by", "last_json"])
    .where("account", "=", account)
    .where("name", "=", name)
    .executeTakeFirst();
  const { off_at = null, off_by = null, last_json = null } = row ?? {};
  return {
    cursor: row?.cursor ?? null,
    ranAt: row?.ran_at,
    failures: row?.failures ?? 0,
    off: off_at === null ? undefined : { at: off_at, by: off_by ?? "" },
    // Written as such.
    last: last_json === null ? undefined : (parseJson(last_json) as unknown as LastRun),
  };
}

/** For every process on the database, from its next pass. */
export async function switchLoop(
  { store, account }: Session,
  name: LoopName,
  off: SwitchedOff | undefined,
): Promise<void> {
  const columns = { off_at: off?.at ?? null, off_by: off?.by ?? null };
  await store.db
    .insertInto("loops")
    .values({ account, name, cursor: null, ran_at: 0, failures: 0, ...columns })
    .onConflict((conflict) => conflict.columns(["account", "name"]).doUpdateSet(columns))
    .execute();
}

export function switchedOffText({ at, by }: SwitchedOff): string {
  return `switched off since ${new Date(at).toISOString()}, by ${by}`;
}

export async function recordRun(
  { store, account }: Session,
  name: LoopName,
  now: number,
  end: LoopEnd,
): Promise<void> {
  const isFailure = end.status === "failed";
  const last_json = JSON.stringify(
    end.status === "failed" ? { status: end.status, message: end.failure.message } : end,
  );
  await store.db
    .insertInto("loops")
    .values({ account, name, cursor: null, ran_at: now, failures: isFailure ? 1 : 0, last_json })
    .onConflict((conflict) =>
      conflict.columns(["account", "name"]).doUpdateSet((eb) => ({
        ran_at: now,
        last_json,
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

/** Each failure doubles the pause, up to one more hour. A run in the future had a wrong clock. */
export function dueAt(
  { ranAt, failures }: Pick<Progress, "ranAt" | "failures">,
  everyMs: number,
  now: number,
): number {
  const step = Math.max(everyMs, MIN_STEP_MS);
  if (ranAt === undefined || ranAt > now + step) return Number.NEGATIVE_INFINITY;
  const backOff = failures === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, step * (2 ** Math.min(failures, 10) - 1));
  return ranAt + everyMs + backOff;
}

const MIN_STEP_MS = 60_000;
const MAX_BACK_OFF_MS = 3_600_000;
