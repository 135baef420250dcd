import type { XClient } from "@toolpact/x-api";
import type { ReceiptState } from "../../storage/database.ts";
import { StorageError } from "../../storage/storage-error.ts";
import type { Store } from "../../storage/store.ts";
import { stepsOf } from "./find-receipt.ts";
import { finishReceipt } from "./finish.ts";
import { effectOf, type Step, writeEnd } from "./journal.ts";
import { isOpen } from "./open.ts";
import { type ReadBack, readBack } from "./read-back.ts";
import type { Receipt } from "./standing.ts";
import { madeHere } from "./undo.ts";

export interface Settling {
  readonly store: Store;
  readonly client: XClient;
  readonly account: string;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Settled {
  readonly state: ReceiptState;
  /** Why it is still not known. */
  readonly why?: string;
  /** When it makes sense to look again; undefined where looking does not help. */
  readonly retryAt?: number;
}

/**
 * Finds out how a mutation ended of which nobody knows, by reading back what X shows. Sends nothing. Undefined where
 * another call is at it.
 *
 * With `isWanted` somebody is about to make the same call again, so that a request which does no harm when it is
 * repeated counts as not done.
 */
export async function settleReceipt(
  settling: Settling,
  { id, attempt }: Pick<Receipt, "id" | "attempt">,
  isWanted: boolean,
): Promise<Settled | undefined> {
  const { store, now, leaseMs } = settling;
  const taken = await store.db
    .updateTable("receipts")
    .set({ state: "pending", attempt: attempt + 1, lease_until: now() + leaseMs })
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("state", "in", ["pending", "unknown"])
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) return undefined;

  const doubts: Doubt[] = [];
  for (const step of await stepsOf(store.db, id)) {
    if (step.state !== "pending" && step.state !== "unknown") continue;
    const doubt = await settleStep(settling, step, isWanted);
    if (doubt !== undefined) doubts.push(doubt);
  }
  const finished = await finishReceipt(store, { receiptId: id, attempt: attempt + 1, now: now() });
  if (finished === undefined) return undefined;
  const [doubt] = doubts;
  return { state: finished.state, ...doubt };
}

/**
 * Settles what earlier processes left behind. A server does so before it carries out its first mutation. One that
 * the database does not take stays open and keeps nobody from the others.
 */
export async function settleAll(settling: Settling): Promise<void> {
  const { store, account, now } = settling;
  const left = await store.db
    .selectFrom("receipts")
    .selectAll()
    .where("account", "=", account)
    .where(isOpen)
    .where("lease_until", "<=", now())
    .orderBy("created_at")
    .execute();
  for (const receipt of left) await settleReceipt(settling, receipt, false).catch(unlessRefused);
}

/** A database in trouble says so again when it is next used. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof StorageError && error.kind === "failed")) throw error;
}

interface Doubt {
  readonly why: string;
  readonly retryAt?: number;
}

async function settleStep(
  { store, client, account, now, signal }: Settling,
  step: Step,
  isWanted: boolean,
): Promise<Doubt | undefined> {
  const isTaken = (thing: string) => madeHere(store.db, account, thing);
  const found = await readBack(step, { client, me: account, isTaken, signal });
  const doubt = doubtAbout(found, step, isWanted, now());
  if (doubt !== undefined) {
    await write({ ...step, state: "unknown" });
    return doubt;
  }
  await write(
    found.found === "done"
      ? { ...step, state: "confirmed", status: 200, answer_text: JSON.stringify({ data: found.data }) }
      : { ...step, state: "failed" },
  );
  return undefined;

  async function write(ended: Step): Promise<void> {
    const { makes, unmakes } = effectOf(ended);
    await writeEnd(store, { ...ended, settled_at: now(), makes }, unmakes);
  }
}

/** A request that X does not show may still be under way, and what X carries out does not show at once. */
const GRACE_MS = 30_000;

function doubtAbout(found: ReadBack, step: Step, isWanted: boolean, now: number): Doubt | undefined {
  switch (found.found) {
    case "done":
      return undefined;
    case "not_done": {
      const certainAt = step.sent_at + GRACE_MS;
      return now >= certainAt
        ? undefined
        : { why: "X does not show it yet, which may still change.", retryAt: certainAt };
    }
    case "repeatable":
      return isWanted ? undefined : { why: "Nothing at X shows whether it was carried out." };
    case "no_answer":
      return { why: `X could not be asked: ${found.why}`, retryAt: now };
    case "unknowable":
      return { why: "Nothing at X shows whether it was carried out." };
  }
}
