import type { Clock } from "@toolpact/contract";
import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Session } from "../storage/store.ts";

/** Held by one process at a time of all on a database. */
export interface Lease {
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export interface LeaseRequest {
  readonly name: string;
  /** Unique per process and time. */
  readonly holder: string;
  readonly now: () => number;
  /** After this time without a renewal, the lease is lost. */
  readonly lifeMs: number;
}

/**
 * Until it is lost or the returned function is called, which waits for a renewal. Timers decide when it is
 * lost, because clocks may change.
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
      // From the request on, because the database may be slow.
      const end = after(lifeMs, onLost);
      last = renew().then(
        (isHeld) => {
          cancelEnd();
          cancelEnd = end;
          if (!isHeld) onLost();
        },
        // The loops get the same error, and another try follows.
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

/** Per lifetime, so one slow answer does not lose it. */
export const RENEWALS = 4;

/** Between two machines. */
const CLOCK_DRIFT_MS = 5 * MINUTE_MS;

/** Undefined, with the end, if another process holds it. */
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
  // Waiting processes only read.
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
              // Longer than any lease, so it was taken with a wrong clock.
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

/** One that ends later than any lease was taken with a wrong clock. */
export function isHeld(until: number, at: number, lifeMs: number): boolean {
  return until > at && until <= at + lifeMs + CLOCK_DRIFT_MS;
}
