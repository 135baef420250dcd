import { type ServerNotifier, serverNotifier } from "../../notify/server-notifier.ts";
import type { Context } from "../context.ts";
import type { OpenedServer } from "../open-server.ts";
import { type ServerRunner, serverRunner } from "./server-runner.ts";

/** The runner and the notices of each account of a server, as configured. */
export interface BackgroundTasks {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export function backgroundTasks(server: OpenedServer, speed: number, context: Context): BackgroundTasks {
  const parts: { readonly notifier: ServerNotifier; readonly runner: ServerRunner }[] = [];
  let isStopped = false;

  function begin(own: OpenedServer): void {
    if (isStopped) return;
    const notifier = serverNotifier(own, speed, context);
    const runner = serverRunner(own, speed, context, notifier);
    parts.push({ notifier, runner });
    runner.start();
    notifier.start();
  }

  return {
    async start() {
      for (const name of server.accounts) {
        const own = await server.coreOf(name);
        if (own.ok) begin({ ...server, ...own.value });
        // Calls for this account fail with the same message.
        else server.log.write(`${name}: ${own.failure.message}`);
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all(parts.map(({ runner }) => runner.stop()));
      await Promise.all(parts.map(({ notifier }) => notifier.stop()));
    },
  };
}
