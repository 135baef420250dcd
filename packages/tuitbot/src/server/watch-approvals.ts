import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { StorePlace } from "../storage/open-store.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Session } from "../storage/store.ts";
import type { StopWatching } from "../storage/watch-changes.ts";
import type { SharedDatabase } from "./shared-database.ts";

/** The resource of all approvals; that of an item is under it. */
export const APPROVALS = "tuitbot://approvals";

export interface ApprovalsToWatch {
  readonly place: StorePlace;
  readonly shared?: SharedDatabase | undefined;
  /** Undefined while it is not known whose data this is. */
  readonly session: () => Promise<Session | undefined>;
  /** Called with the address of each resource that changed. */
  readonly onChange: (uri: string) => void;
}

/** Tells of every change of the queue, whichever process made it. What waits at the start counts as changed. */
export async function watchApprovals({
  place,
  shared,
  session,
  onChange,
}: ApprovalsToWatch): Promise<StopWatching> {
  const { watchChanges } = await import("../storage/watch-changes.ts");
  let seen: Queue = { open: new Map(), decided: new Map() };
  let looking: Promise<void> | undefined;
  let isStale = false;

  async function look(): Promise<void> {
    const opened = await session();
    if (opened === undefined) return;
    const now = await queueOf(opened.store.db, opened.account);
    const changed = changesOf(seen, now);
    seen = now;
    if (changed.length > 0) onChange(APPROVALS);
    for (const id of changed) onChange(`${APPROVALS}/${id}`);
  }

  /** A change during the check triggers another check. */
  function lookSoon(): Promise<void> {
    isStale = true;
    looking ??= (async () => {
      try {
        while (isStale) {
          isStale = false;
          await look();
        }
      } catch (error) {
        // A database that cannot be used counts as changed when it can be again.
        if (!(error instanceof StorageError)) throw error;
      } finally {
        looking = undefined;
      }
    })();
    return looking;
  }

  const changed = () => void lookSoon();
  const stop = shared?.watch(changed) ?? watchChanges(place, changed);
  void lookSoon();
  return async () => {
    await stop();
    await looking;
  };
}

/** The state of each item, by its id. */
interface Queue {
  readonly open: ReadonlyMap<number, string>;
  readonly decided: ReadonlyMap<number, string>;
}

const MAX_OPEN = 1_000;
/** An item may be decided, tried and decided again between two looks. */
const MAX_DECIDED = 20;

async function queueOf(db: Kysely<Database>, account: string): Promise<Queue> {
  const states = db
    .selectFrom("approvals")
    .select(["id", "status", "digest", "decided_at", sql<unknown>`context_json is null`.as("lacks_context")])
    .where("account", "=", account);
  const [open, decided] = await Promise.all([
    states
      .where("status", "in", ["pending", "approved", "releasing"])
      .orderBy("id", "desc")
      .limit(MAX_OPEN)
      .execute(),
    states
      .where("decided_at", "is not", null)
      .where(sql<boolean>`status in ('executed', 'failed', 'rejected', 'expired')`)
      .orderBy("decided_at", "desc")
      .orderBy("id", "desc")
      .limit(MAX_DECIDED)
      .execute(),
  ]);
  const byId = (rows: typeof open) =>
    new Map(rows.map(({ id, ...state }) => [id, Object.values(state).join()] as const));
  return { open: byId(open), decided: byId(decided) };
}

function changesOf(before: Queue, now: Queue): readonly number[] {
  const gone = [...before.open.keys()].filter((id) => !now.open.has(id));
  const other = [...now.open, ...now.decided]
    .filter(([id, state]) => (before.open.get(id) ?? before.decided.get(id)) !== state)
    .map(([id]) => id);
  return [...new Set([...gone, ...other])];
}
