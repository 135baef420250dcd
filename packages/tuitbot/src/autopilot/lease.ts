import type { Clock } from "@toolpact/contract";
import type { Session } from "../storage/session.ts";

/** A right to run that one process has at a time, over all processes on a database. */
export interface Lease {
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

export interface LeaseWish {
  readonly name: string;
  /** Another for each process and time. */
  readonly holder: string;
  readonly now: () => number;
  /** Who has not renewed it for this long has lost it. */
  readonly lifeMs: number;
}

/** Renews a lease again and again, until it is lost or the returned function is called, which waits for the last time. */
export function keepRenewing(
  { renew }: Lease,
  after: Clock["after"],
  everyMs: number,
  onLost: () => void,
): () => Promise<void> {
  let last = Promise.resolve();
  let cancel = () => {};
  const next = () => {
    cancel = after(everyMs, () => {
      last = renew().then(
        (isHeld) => (isHeld ? undefined : onLost()),
        // Whoever works under the lease is told by the database themselves, and there is time for another try.
        () => undefined,
      );
      next();
    });
  };
  next();
  return () => {
    cancel();
    return last;
  };
}

/** How far the clocks of two machines may be apart. */
const CLOCK_DRIFT_MS = 5 * 60_000;

/** Undefined, and until when, where another process has it. */
export async function takeLease(
  { store, account }: Session,
  { name, holder, now, lifeMs }: LeaseWish,
): Promise<Lease | { readonly takenUntil: number }> {
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
              // Nobody takes it for so long: their clock was wrong.
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
  const other = await store.db
    .selectFrom("leases")
    .select("until")
    .where("account", "=", account)
    .where("name", "=", name)
    .executeTakeFirst();
  return { takenUntil: other?.until ?? now() };
}
