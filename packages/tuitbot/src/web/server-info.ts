import { idOf, type Snapshot, takeSnapshot, versionsOf } from "../app/changes.ts";
import type { Services } from "../app/services.ts";
import { RUNNER_LEASE } from "../drafts/runner.ts";
import { findStop, stopView } from "../guards/stop/stop.ts";
import { version } from "../version.ts";
import { postLimit } from "../x/toolkit/preflight.ts";

export type InfoServices = Pick<Services, "db" | "workflow" | "config">;

/** The part of a session that is about the server, and the state that it shows. */
export async function serverInfo(
  services: InfoServices,
  { isSandbox, speed }: { readonly isSandbox: boolean; readonly speed: number },
) {
  const { db, workflow, config } = services;
  const { stop, state } = await stopWithState(services);
  const info = {
    account: { id: db.account, username: db.names?.username ?? null, name: db.names?.name ?? null },
    is_sandbox: isSandbox,
    /** The server's time: the sandbox's clock may run faster than the browser's. */
    now: new Date(workflow.now()).toISOString(),
    /** How many times as fast as real time the clock runs. */
    speed,
    timezone: config.values.schedule.timezone,
    mode: config.values.mode,
    approval_mode: config.approvalMode,
    /** The longest post of this account, as X counts. */
    post_limit: postLimit(workflow.access),
    version,
    stop,
    /** Given to `GET /api/events`, it makes the stream begin with the changes since this answer. */
    last_event_id: idOf(versionsOf(state)),
  };
  return { info, state };
}

/** The stop and the state of everything, neither older than the other. */
async function stopWithState(services: InfoServices) {
  const { store, account } = services.db;
  for (let tries = 3; ; tries--) {
    const state = await snapshotOf(services);
    const stop = await findStop(store.db, account);
    if ((stop === undefined) === (state.stop.count === 0) || tries === 1)
      return { stop: stop === undefined ? null : stopView(stop), state };
  }
}

export function snapshotOf({ db, workflow }: Pick<Services, "db" | "workflow">): Promise<Snapshot> {
  return takeSnapshot(db.store.db, db.account, workflow.now(), RUNNER_LEASE);
}
