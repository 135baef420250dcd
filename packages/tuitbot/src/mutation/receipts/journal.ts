import type { Kysely, Selectable } from "kysely";
import type { Database, StepRow } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";
import { StorageError } from "../../storage/storage-error.ts";
import type { Store } from "../../storage/store.ts";
import { operationRow } from "../../x/operation-table.ts";
import { objectIn, textIn } from "../../x/shapes/x-object.ts";
import { jsonOf } from "../../x/toolkit/raw-request.ts";
import { requestAt, type WriteRequest } from "./request.ts";
import { tailOf } from "./thread-tail.ts";
import { releaseUndone } from "./undo.ts";

export type Step = Selectable<StepRow>;

/** How a request ended, as far as its answer tells. */
export interface StepEnd {
  readonly state: "confirmed" | "failed" | "unknown";
  readonly status: number | null;
  readonly text: string | null;
}

export interface JournalOptions {
  readonly store: Store;
  readonly account: string;
  readonly receiptId: string;
  /** Of the receipt: once another call has taken it over, this one may send nothing more. */
  readonly attempt: number;
  /** What earlier attempts sent. */
  readonly steps: readonly Step[];
  /** `replay` sends nothing: it only gives back what earlier attempts were answered. */
  readonly mode: "send" | "replay";
  /** Each post answers the one before, and a post is gone on with once, by whatever call. */
  readonly isThread: boolean;
  readonly leaseMs: number;
  readonly now: () => number;
}

/** Why a request was not sent. */
export type NotSent = "replay_only" | "taken_over" | "storage" | { readonly continuedBy: string };

/**
 * The requests of one mutation, each written down before it leaves. A request that an earlier attempt has sent is
 * not sent again: its answer is given back, so that the same call goes on where it stopped.
 */
export class Journal {
  /** Why the last request was kept back, if one was. */
  notSent: NotSent | undefined;
  /** The database failed after a request had been answered; its outcome will be found out later. */
  hasUnwritten = false;
  readonly #options: JournalOptions;
  readonly #steps: Step[];
  readonly #replayed = new Set<number>();
  #lastSeq: number;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#steps = [...options.steps];
    this.#lastSeq = options.steps.at(-1)?.seq ?? 0;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** The answer to this request, if an earlier attempt got it. */
  answerTo({ digest }: WriteRequest): StepEnd | undefined {
    const step = this.#steps.find(
      (candidate) =>
        candidate.digest === digest && candidate.state === "confirmed" && !this.#replayed.has(candidate.seq),
    );
    if (step === undefined) return undefined;
    this.#replayed.add(step.seq);
    return { state: "confirmed", status: step.status, text: step.answer_text };
  }

  /** Writes down that the request is about to leave. It must not leave unless this says its number. */
  async begin(request: WriteRequest): Promise<number | undefined> {
    const { store, account, receiptId, attempt, mode, isThread, leaseMs, now } = this.#options;
    if (mode === "replay") return this.#keepBack("replay_only");
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    const at = now();
    const step: Step = {
      receipt_id: receiptId,
      seq,
      account,
      operation: request.operation ?? null,
      method: request.method,
      target: request.target,
      body_json: request.bodyText ?? null,
      digest: request.digest,
      state: "pending",
      sent_at: at,
      settled_at: null,
      status: null,
      answer_text: null,
      makes: null,
      continues: isThread ? answeredBy(request) : null,
    };
    try {
      const why = await store.transaction(async (db): Promise<NotSent | undefined> => {
        const held = await holdOn(db, { receiptId, attempt, until: at + leaseMs });
        if (held.numAffectedRows === 0n) return "taken_over";
        const { rows } = await insertStep(db, step);
        if (rows.length > 0 || step.continues === null) return undefined;
        const continuedBy = await tailOf(db, account, step.continues);
        // The other has failed meanwhile; whoever calls again may go on.
        return continuedBy === undefined ? "taken_over" : { continuedBy };
      });
      if (why !== undefined) return this.#keepBack(why);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return this.#keepBack("storage");
    }
    this.#steps.push(step);
    return seq;
  }

  /** Writes down how a request ended. */
  async end(seq: number, { state, status, text }: StepEnd): Promise<void> {
    const { store, now } = this.#options;
    const index = this.#steps.findIndex((candidate) => candidate.seq === seq);
    const step = this.#steps[index];
    if (step === undefined) throw new Error(`There is no step ${seq}.`);
    const ended: Step = { ...step, state, status, answer_text: text, settled_at: now(), makes: null };
    const effect = effectOf(ended);
    this.#steps[index] = { ...ended, makes: effect.makes };
    try {
      await writeEnd(store, this.#steps[index], effect.unmakes);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.hasUnwritten = true;
    }
  }

  /** Takes back that X refused a request: it may be one that X has already. */
  async doubt(seq: number): Promise<void> {
    const step = this.#steps.find((candidate) => candidate.seq === seq);
    if (step === undefined) return;
    const { store } = this.#options;
    await store.db
      .updateTable("steps")
      .set({ state: "unknown", settled_at: null })
      .where("receipt_id", "=", step.receipt_id)
      .where("seq", "=", seq)
      .execute();
  }

  #keepBack(why: NotSent): undefined {
    this.notSent = why;
    return undefined;
  }
}

/** Keeps how a step ended, and lets go of what it undid. */
export async function writeEnd(store: Store, step: Step, unmakes: string | undefined): Promise<void> {
  if (unmakes === undefined) return updateStep(store.db, step);
  await store.transaction(async (db) => {
    await updateStep(db, step);
    await releaseUndone(db, step.account, unmakes);
  });
}

async function updateStep(db: Kysely<Database>, step: Step): Promise<void> {
  // Reading back may have been faster; only what is certain replaces what it found.
  const update = step.state === "confirmed" ? confirmStep : endOpenStep;
  await update(db, step.state === "failed" ? { ...step, continues: null } : step);
}

/** Its place in the thread stays as it is: where it was thought to have failed, another may have gone on from there. */
const confirmStep = prepared(ended);

const endOpenStep = prepared((db, step: Step) =>
  ended(db, step).set("continues", step.continues).where("state", "in", ["pending", "unknown"]),
);

function ended(db: Kysely<Database>, step: Step) {
  const { receipt_id, seq, state, status, answer_text, settled_at, makes } = step;
  return db
    .updateTable("steps")
    .set({ state, status, answer_text, settled_at, makes })
    .where("receipt_id", "=", receipt_id)
    .where("seq", "=", seq);
}

const insertStep = prepared((db, step: Step) =>
  db
    .insertInto("steps")
    .values(step)
    .onConflict((conflict) => conflict.columns(["account", "continues"]).doNothing())
    .returning("seq"),
);

function answeredBy({ body }: WriteRequest): string | null {
  return textIn(objectIn(body, "reply"), "in_reply_to_tweet_id") ?? null;
}

interface Hold {
  readonly receiptId: string;
  readonly attempt: number;
  readonly until: number;
}

const holdOn = prepared((db, { receiptId, attempt, until }: Hold) =>
  db
    .updateTable("receipts")
    .set({ lease_until: until })
    .where("id", "=", receiptId)
    .where("attempt", "=", attempt)
    .where("state", "=", "pending"),
);

/** What a step that was carried out has brought about and undone. */
export function effectOf(step: Step): { readonly makes: string | null; readonly unmakes?: string } {
  if (step.state !== "confirmed") return { makes: null };
  const { makes, unmakes } = operationRow(step.operation) ?? {};
  const request = requestAt(step.method, step.target, step.body_json ?? undefined);
  const undone = unmakes?.(request);
  return {
    makes: makes?.(request, objectIn(jsonOf(step.answer_text ?? ""), "data")) ?? null,
    ...(undone !== undefined && { unmakes: undone }),
  };
}
