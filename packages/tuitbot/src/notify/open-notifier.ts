import { DAY_MS } from "@toolpact/contract/internal";
import { approvalsFor } from "../app/approvals.ts";
import type { Services } from "../app/services.ts";
import { signSentLink } from "../app/sign-in/sent-link.ts";
import { watchChanges } from "../storage/watch-changes.ts";
import { openChannels } from "./channels.ts";
import type { NotifierSetting } from "./notifier.ts";
import { recipientsOf } from "./recipients.ts";

/** A mail may be read the next morning. */
const LINK_MS = DAY_MS;

export interface NotifierContext {
  /** How many times as fast as real time the clock of the account runs. */
  readonly speed: number;
  readonly machine: {
    readonly fetch: typeof globalThis.fetch;
    readonly now: () => number;
    readonly pause: (ms: number, until: AbortSignal) => Promise<void>;
  };
  readonly onTrouble: (message: string) => void;
  readonly signal: AbortSignal;
}

export type NotifierServices = Pick<Services, "db" | "workflow" | "approvals" | "config">;

/** Opens the channels and everything else that the notifier needs. */
export async function openNotifier(
  services: NotifierServices,
  { speed, machine, onTrouble, signal }: NotifierContext,
): Promise<NotifierSetting> {
  const { db, workflow, approvals, config } = services;
  const { values } = config;
  const { notify, storage, intervals, server } = values;
  const { channels, missing } = await openChannels({
    notify,
    fetch: machine.fetch,
    now: machine.now,
    signInLink: async (email, { link, item }) => {
      const person = notify.people.find((one) => one.email === email);
      if (link === undefined || person === undefined) return undefined;
      const url = new URL(link);
      const secret = signSentLink(approvals.key, {
        account: db.account,
        person: person.name,
        expiresAt: machine.now() + LINK_MS,
      });
      url.hash = `signin=${secret}${item === undefined ? "" : `/inbox/${item.id}`}`;
      return url.href;
    },
  });
  for (const key of missing) onTrouble(`${key} is not set, so nobody is told this way.`);
  return {
    ...db,
    key: approvals.key,
    now: workflow.now,
    pageUrl: server.public_url,
    config: values,
    caps: workflow.caps,
    recipients: recipientsOf(notify.people, channels),
    approvalsBy: (by) => approvalsFor(services, by, signal),
    // A lease lasts as long by the clock on the wall, however fast that of the sandbox runs.
    leaseMs: intervals.runner_lease_seconds * 1_000 * speed,
    after: (ms, callback) => workflow.after(ms / speed, callback),
    pause: (ms, until) => machine.pause(ms / speed, until),
    watch: (onChange) => watchChanges({ url: storage.url, path: storage.db_path }, onChange),
    onTrouble,
  };
}
