import { MINUTE_MS } from "@toolpact/contract/internal";
import type { Services } from "../../app/services.ts";
import { type LoopContext, SANDBOX_LOOPS } from "../../autopilot/pass.ts";
import type { ServerNotifier } from "../../notify/server-notifier.ts";
import { isWorkflowProfile } from "../../profiles.ts";
import type { Context } from "../context.ts";
import type { OpenedServer } from "../open-server.ts";

/** The autopilot inside a server. */
export interface ServerRunner {
  readonly start: () => void;
  /** Lets the step that is under way finish. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs the loops in this process while it serves, if the configuration asks for it. In the sandbox, scheduled posts are
 * always published and posts measured, in sandbox time.
 */
export function serverRunner(
  { core, config, isSandbox, log, profile }: OpenedServer,
  speed: number,
  { machine, signal }: Context,
  notifier: Pick<ServerNotifier, "breakerOpen" | "runnerEnded">,
): ServerRunner {
  const runsAll = config.values.server.runner;
  const stopping = new AbortController();
  const stopped = AbortSignal.any([signal, stopping.signal]);
  let running: Promise<void> | undefined;

  async function keepRunning(): Promise<void> {
    const { run } = await import("../../autopilot/run.ts");
    while (!stopped.aborted) {
      const { services } = await core();
      const resolved = await services.resolve(["x", "db", "workflow", "config"], {}, stopped);
      // Exactly the services that were named.
      const ended = resolved.ok ? await run(contextOf(resolved.value as Needed), stopped) : resolved;
      if (stopped.aborted) return;
      if (!ended.ok) {
        log.write(`The runner waits. ${ended.failure.message}`);
        await notifier.runnerEnded(ended.failure);
      }
      await machine.pause(RETRY_MS, stopped);
    }
  }

  function contextOf({ x, db, workflow, config: { values } }: Needed) {
    const after: typeof workflow.after = (ms, callback) => workflow.after(ms / speed, callback);
    const context: LoopContext = {
      ...db,
      x,
      workflow: { ...workflow, after },
      config: values,
      random: Math.random,
    };
    return {
      ...context,
      // A lease lasts as long by the clock on the wall, however fast that of the sandbox runs.
      leaseMs: values.intervals.runner_lease_seconds * 1_000 * speed,
      ...(!runsAll && { among: SANDBOX_LOOPS }),
      pause: (ms: number, until: AbortSignal) => machine.pause(ms / speed, until),
      onPass: () => {},
      onBreakerOpen: notifier.breakerOpen,
      onLeftOut: ({ message }: { readonly message: string }) => log.write(message),
    };
  }

  return {
    start() {
      if (stopped.aborted || !(runsAll || isSandbox)) return;
      if (isWorkflowProfile(profile)) running ??= keepRunning();
      else if (runsAll) log.write(`The profile ${profile} has no runner; write and admin have one.`);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

type Needed = Pick<Services, "x" | "db" | "workflow" | "config">;

/** How long a runner waits that only a person can help, or that cannot find out who is signed in. */
const RETRY_MS = 5 * MINUTE_MS;
