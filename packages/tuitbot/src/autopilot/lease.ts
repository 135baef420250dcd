import type { Clock } from "@toolpact/contract";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Session } from "../storage/store.ts";

/** A lock that one process at a time holds, among all processes on a database. */
export interface Lease {
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export interface LeaseRequest {
  readonly name: string;
  /** Unique for each process and time. */
  readonly holder: string;
  readonly now: () => number;
  /** A lease that was not renewed for this time is lost. */
  readonly lifeMs: number;
}

/**
 * Renews a lease until it is lost or the returned function is called, which waits for a renewal in progress. The lease
 * also counts as lost if it could not be renewed within its duration, measured by timers, which clock changes do not
 * affect.
 */
export function keepRenewing(
  { renew }: Lease,
  after: Clock["after"],
  lifeMs: number,
  onLost: () => void,
): () => Promise<void> {
  let last = Promise.resolve();
  let cancel = () => {};
  let cancelEnd = after(lifeMs, onLost);
  const next = () => {
    cancel = after(lifeMs / RENEWALS, () => {
      // From when it was asked for: the database may have taken long to answer.
      const end = after(lifeMs, onLost);
      last = renew().then(
        (isHeld) => {
          cancelEnd();
          cancelEnd = end;
          if (!isHeld) onLost();
        },
        // The loops meet the same database error themselves, and there is time for another try.
        () => end(),
      );
      next();
    });
  };
  next();
  return async () => {
    cancel();
    await last;
    cancelEnd();
  };
}

/** How often a lease is renewed in its life: one slow answer does not cost it. */
export const RENEWALS = 4;

/** Maximum difference between the clocks of two machines. */
const CLOCK_DRIFT_MS = 5 * MINUTE_MS;

/** Takes the lease; undefined, with the time until when, if another process holds it. */
export async function takeLease(
  { store, account }: Session,
  { name, holder, now, lifeMs }: LeaseRequest,
): Promise<Lease | { readonly takenUntil: number }> {
  const other = async () =>
    store.db
      .selectFrom("leases")
      .select(["holder", "until"])
      .where("account", "=", account)
      .where("name", "=", name)
      .executeTakeFirst();
  // Those who only wait read, and write nothing.
  const held = await other();
  if (held !== undefined && held.holder !== holder && isHeld(held.until, now(), lifeMs))
    return { takenUntil: held.until };
  const take = async (): Promise<boolean> => {
    const at = now();
    const taken = await store.db
      .insertInto("leases")
      .values({ account, name, holder, until: at + lifeMs })
      .onConflict((conflict) =>
        conflict
          .columns(["account", "name"])
          .doUpdateSet({ holder, until: at + lifeMs })
          .where((eb) =>
            eb.or([
              eb("leases.until", "<=", at),
              // Longer than any lease: it was taken with a wrong clock.
              eb("leases.until", ">", at + lifeMs + CLOCK_DRIFT_MS),
              eb("leases.holder", "=", holder),
            ]),
          ),
      )
      .returning("holder")
      .executeTakeFirst();
    return taken !== undefined;
  };
  if (await take())
    return {
      renew: take,
      release: async () => {
        await store.db
          .deleteFrom("leases")
          .where("account", "=", account)
          .where("name", "=", name)
          .where("holder", "=", holder)
          .execute();
      },
    };
  return { takenUntil: (await other())?.until ?? now() };
}

/** Whether a lease is held: one that ends later than any lease was taken with a wrong clock. */
export function isHeld(until: number, at: number, lifeMs: number): boolean {
  return until > at && until <= at + lifeMs + CLOCK_DRIFT_MS;
}
