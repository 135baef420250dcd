import { setTimeout } from "node:timers/promises";
import type { Services } from "../app/services.ts";
import type { Core } from "../server/core.ts";
import { orStorageFailure } from "../storage/storage-error.ts";

interface SendDueSetting {
  readonly personCore: () => Promise<Core>;
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  readonly onError: (message: string) => void;
  /** Fires when the server stops. */
  readonly signal: AbortSignal;
}

/** How often the schedule is looked at. */
const LOOK_MS = 1_000;

/**
 * Publishes scheduled posts on time while the dashboard is served, along with any runner: "Scheduled" on the dashboard
 * means that it will be published. Returns a function that waits for the post being sent.
 */
export function sendDuePosts({ personCore, speed, onError, signal }: SendDueSetting): () => Promise<void> {
  const stopping = new AbortController();
  const stopped = AbortSignal.any([signal, stopping.signal]);

  async function look(): Promise<void> {
    const { services } = await personCore();
    const stored = await services.resolve(["db", "workflow"], {}, stopped);
    if (!stored.ok) return;
    // Exactly the services that were named.
    const { db, workflow } = stored.value as Pick<Services, "db" | "workflow">;
    const { dueNow, publishDue } = await import("../autopilot/scheduled.ts");
    if ((await dueNow({ ...db, now: workflow.now })).length === 0) return;
    const resolved = await services.resolve(["x", "config"], {}, stopped);
    if (!resolved.ok) return;
    const { x, config } = resolved.value as Pick<Services, "x" | "config">;
    const after: typeof workflow.after = (ms, callback) => workflow.after(ms / speed, callback);
    const { signal: never } = new AbortController();
    await publishDue({
      ...db,
      x,
      config: config.values,
      // A call that has started is not cancelled: its outcome would be unknown.
      workflow: {
        ...workflow,
        after,
        call: (tool, args, by, _, release) => workflow.call(tool, args, by, never, release),
      },
      random: Math.random,
      leaseMs: config.values.intervals.runner_lease_seconds * 1_000 * speed,
      now: workflow.now,
      signal: stopped,
      isDryRun: false,
      rest: async () => {},
    });
  }

  async function keepLooking(): Promise<void> {
    let said: string | undefined;
    while (!stopped.aborted) {
      await setTimeout(LOOK_MS, undefined, { signal: stopped, ref: false }).catch(() => {});
      if (stopped.aborted) return;
      const looked = await orStorageFailure(async () => ({ ok: true as const, value: await look() }));
      const problem = looked.ok ? undefined : looked.failure.message;
      // A database that is away for hours is reported once.
      if (problem !== undefined && problem !== said) onError(`Scheduled posts: ${problem}`);
      said = problem;
    }
  }

  const looking = keepLooking();
  return async () => {
    stopping.abort();
    await looking;
  };
}
