import { setImmediate } from "node:timers/promises";
import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS, MINUTE_MS } from "@toolpact/contract/internal";
import type { Services } from "../app/services.ts";
import { isActive } from "../autopilot/active-hours.ts";
import type { LoopEnd, LoopName } from "../autopilot/pass.ts";
import { type RunContext, run, upcoming } from "../autopilot/run.ts";
import { catalogFor } from "../server/catalog.ts";
import { createCore } from "../server/core.ts";
import { standIn } from "../writing/stand-in.ts";
import { copyAccount } from "./copy-account.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { rehearsalWorld } from "./rehearsal-world.ts";
import { reportOf } from "./report.ts";

/** Left unchanged. */
export type RehearsalSource = Pick<Services, "db" | "workflow" | "config"> & {
  /** Verifies earlier approvals. */
  readonly approvalKey: Uint8Array;
};

export interface RehearsalRequest {
  readonly days: number;
  /** From 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs the loops on a clock that jumps between events, on a copy in memory and a simulated X. Texts come from
 * a table instead of a model.
 */
export async function rehearse(
  { db, workflow, config, approvalKey }: RehearsalSource,
  { days, onProgress, signal }: RehearsalRequest,
): Promise<Outcome<Rehearsal, Failure>> {
  const from = workflow.now();
  const to = from + days * DAY_MS;
  const { sandbox, account, again } = await rehearsalWorld(db, workflow.access, { from, to });
  const { clock } = account;
  const writer = await workflow.llm(signal);
  const core = createCore({
    profile: "write",
    catalog: catalogFor("write"),
    config,
    account,
    clock,
    persistence: {
      store: { path: ":memory:", fill: (store) => copyAccount(db, store, from) },
      approvalKey: async () => approvalKey,
    },
    llm: writer.ok ? async () => ok(standIn()) : undefined,
    log: () => {},
  });
  try {
    const resolved = await core.services.resolve(["x", "db", "workflow", "config"], {}, signal);
    if (!resolved.ok) return resolved;
    // Exactly these services.
    const copy = resolved.value as Pick<Services, "x" | "db" | "workflow" | "config">;
    const signedIn = await copy.workflow.checkSignIn(signal);
    if (!signedIn.ok) return signedIn;
    const ended = new AbortController();
    const loops: { readonly name: LoopName; readonly end: LoopEnd }[] = [];
    let isBetweenPasses = false;
    const setting: RunContext = {
      ...copy.db,
      x: copy.x,
      workflow: copy.workflow,
      config: config.values,
      random: repeatable(),
      onLoop: (name, end) => loops.push({ name, end }),
      onPass() {
        isBetweenPasses = true;
        onProgress?.(Math.min(1, (clock.now() - from) / (to - from)));
      },
      onLeftOut: () => {},
      async pause(ms) {
        // Yields to other work.
        await setImmediate();
        const until = isBetweenPasses ? await nextMoment(setting, ms) : ms;
        isBetweenPasses = false;
        sandbox.clock.set(Math.min(to, clock.now() + Math.ceil(until)));
        if (clock.now() >= to) ended.abort();
      },
    };
    const ran = await run(setting, AbortSignal.any([signal, ended.signal]));
    if (signal.aborted) return failed(STOPPED);
    onProgress?.(1);
    return ok(
      await reportOf(
        { ...copy, db: { ...copy.db, ...(db.names && { names: db.names }) } },
        {
          from,
          to: clock.now(),
          loops,
          writer: writer.ok ? writer.value.writer : undefined,
          again,
          isStopped: await isStopped(db),
          endedEarly: ran.ok ? undefined : ran.failure.message,
        },
      ),
    );
  } finally {
    await core.close();
  }
}

const STOPPED: Failure = {
  code: "validation_error",
  message: "The rehearsal was stopped. Nothing was sent, and nothing was changed.",
};

async function isStopped({ store, account }: Services["db"]): Promise<boolean> {
  const stop = await store.db
    .selectFrom("stops")
    .select("account")
    .where("account", "=", account)
    .executeTakeFirst();
  return stop !== undefined;
}

/** At least the runner's pause. */
async function nextMoment(setting: RunContext, least: number): Promise<number> {
  const { store, account, config, workflow } = setting;
  const now = workflow.now();
  const scheduled = await store.db
    .selectFrom("scheduled_posts")
    .select(({ fn }) => fn.min("due_at").as("at"))
    .where("account", "=", account)
    .where("status", "=", "scheduled")
    .where("due_at", ">", now)
    .executeTakeFirst();
  const due = (await upcoming(setting)).map(({ at }) => at).filter((at) => at > now);
  const looking = now + (isActive(config.schedule, now) ? LOOK_MS : untilActive(config.schedule, now));
  return Math.max(least, Math.min(looking, scheduled?.at ?? looking, ...due) - now);
}

/** Posting slots last half an hour. */
const LOOK_MS = 15 * MINUTE_MS;

function untilActive(schedule: Parameters<typeof isActive>[0], now: number): number {
  for (let ms = LOOK_MS; ms < 7 * DAY_MS; ms += LOOK_MS) if (isActive(schedule, now + ms)) return ms;
  return DAY_MS;
}

/** Two rehearsals of one state agree. */
function repeatable(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
