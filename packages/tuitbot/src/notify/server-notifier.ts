import type { Failure, Outcome } from "@toolpact/contract";
import { MINUTE_MS, maskSecrets } from "@toolpact/contract/internal";
import type { EffectiveConfig } from "../config/effective-config.ts";
import type { NotifierContext, NotifierServices } from "./open-notifier.ts";
import type { NoticeEvent } from "./outbox.ts";

export interface ServerNotifier {
  readonly start: () => void;
  /** X has refused too often. */
  readonly breakerOpen: (until: number) => void;
  /** Only a person can help. */
  readonly runnerEnded: (failure: Failure) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface NotifiedServer {
  readonly config: Pick<EffectiveConfig, "values">;
  readonly log: { readonly write: (message: string) => void };
  /** Undefined if nothing is stored. */
  readonly personCore?:
    | (() => Promise<{
        readonly services: {
          readonly resolve: (
            needs: typeof NEEDS,
            context: object,
            signal: AbortSignal,
          ) => Promise<Outcome<object, Failure>>;
        };
      }>)
    | undefined;
}

/** In one process per account. Its code is loaded only if there are recipients. */
export function serverNotifier(
  { config, personCore, log }: NotifiedServer,
  speed: number,
  { machine, signal }: Pick<NotifierContext, "machine" | "signal">,
): ServerNotifier {
  const stopping = new AbortController();
  const stopped = AbortSignal.any([signal, stopping.signal]);
  let running: Promise<void> | undefined;
  const pending = new Set<Promise<void>>();
  const isUsed = personCore !== undefined && config.values.notify.people.length > 0;
  const onTrouble = (message: string) => log.write(`Notifications: ${maskSecrets(message)}`);

  async function open(until: AbortSignal) {
    const [{ openNotifier }, core] = await Promise.all([import("./open-notifier.ts"), personCore?.()]);
    const resolved = await core?.services.resolve(NEEDS, {}, until);
    if (resolved?.ok !== true) return undefined;
    // Exactly these services.
    return openNotifier(resolved.value as NotifierServices, { speed, machine, onTrouble, signal: until });
  }

  async function keepRunning(): Promise<void> {
    while (!stopped.aborted) {
      const setting = await open(stopped);
      const { runNotifier } = await import("./notifier.ts");
      if (setting !== undefined) await runNotifier(setting, stopped);
      // Not signed in, or no usable database.
      if (!stopped.aborted) await machine.pause(RETRY_MS, stopped);
    }
  }

  /** Sends before this process may end. */
  async function tellNow(event: (now: number) => NoticeEvent): Promise<void> {
    try {
      const inTime = AbortSignal.timeout(TELL_MS);
      const setting = isUsed ? await open(inTime) : undefined;
      if (setting === undefined) return;
      const { notifierPass, tell } = await import("./notifier.ts");
      await tell(setting, event(setting.now()));
      await notifierPass(setting, inTime);
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : "unknown");
    }
  }

  return {
    start() {
      if (isUsed && !stopped.aborted) running ??= keepRunning();
    },
    breakerOpen(until) {
      const telling = import("./events.ts")
        .then(({ breakerOpen }) => tellNow(() => breakerOpen(until)))
        .finally(() => pending.delete(telling));
      pending.add(telling);
    },
    async runnerEnded({ code }) {
      if (code !== "x_auth_expired") return;
      const { signInLost } = await import("./events.ts");
      await tellNow(signInLost);
    },
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(pending);
    },
  };
}

const NEEDS = ["db", "workflow", "approvals", "config"] as const;

const RETRY_MS = MINUTE_MS;
const TELL_MS = 15_000;
