import type { LoopContext } from "../../autopilot/pass.ts";
import { isWorkflowProfile } from "../../profiles.ts";
import type { TuitbotServer } from "../../server/server.ts";
import type { Services } from "../../tools/product.ts";
import type { Context } from "../context.ts";

/** The autopilot inside a server. */
export interface ServerRunner {
  readonly start: () => void;
  /** Lets the step that is under way finish. */
  readonly stop: () => Promise<void>;
}

/** Runs the loops in this process for as long as it serves, if the configuration says so. */
export function serverRunner(
  { core, config }: TuitbotServer,
  profile: string,
  { machine, terminal, signal }: Context,
): ServerRunner {
  const stopping = new AbortController();
  const stopped = AbortSignal.any([signal, stopping.signal]);
  const say = (message: string) => terminal.err(`tuitbot: ${message}\n`);
  let running: Promise<void> | undefined;

  async function keepRunning(): Promise<void> {
    const { run } = await import("../../autopilot/run.ts");
    while (!stopped.aborted) {
      const { services } = await core();
      const resolved = await services.resolve(["x", "db", "workflow", "config"], {}, stopped);
      // Exactly the services that were named.
      const ended = resolved.ok ? await run(contextOf(resolved.value as Needed), stopped) : resolved;
      if (stopped.aborted) return;
      if (!ended.ok) say(`The runner waits. ${ended.failure.message}`);
      await machine.pause(RETRY_MS, stopped);
    }
  }

  function contextOf({ x, db, workflow, config: { values } }: Needed) {
    const context: LoopContext = { ...db, x, workflow, config: values, random: Math.random };
    return {
      ...context,
      pause: machine.pause,
      onPass: () => {},
      onLeftOut: ({ message }: { readonly message: string }) => say(message),
    };
  }

  return {
    start() {
      if (!config.values.server.runner || stopped.aborted) return;
      if (!isWorkflowProfile(profile))
        return say(`The profile ${profile} has no runner; write and admin have one.`);
      running ??= keepRunning();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

type Needed = Pick<Services, "x" | "db" | "workflow" | "config">;

/** How long a runner waits that only a person can help, or that cannot find out who is signed in. */
const RETRY_MS = 5 * 60_000;
