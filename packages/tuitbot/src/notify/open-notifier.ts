import { openChannels } from "@toolpact/contract/internal/notify";
import { approvalsFor } from "../app/approvals.ts";
import type { Services } from "../app/services.ts";
import { configuredPerson } from "../app/sign-in/people.ts";
import { signSentLink } from "../app/sign-in/sent-link.ts";
import { dashboardUrl } from "../config/account-name.ts";
import { watchChanges } from "../storage/watch-changes.ts";
import type { NotifierSetting } from "./notifier.ts";
import { SENDER } from "./person.ts";
import { recipientsOf } from "./recipients.ts";

export interface NotifierContext {
  /** Clock time per real time. */
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

export async function openNotifier(
  services: NotifierServices,
  { speed, machine, onTrouble, signal }: NotifierContext,
): Promise<NotifierSetting> {
  const { db, workflow, approvals, config } = services;
  const { values } = config;
  const { notify, storage, intervals, server } = values;
  const place = { db: db.store.db, account: db.account };
  const personNow = (name: string) => configuredPerson(place, config.people, name);
  const { channels, missing } = await openChannels({
    notify,
    sender: SENDER,
    fetch: machine.fetch,
    now: machine.now,
    signInLink: async (email, { link, item }) => {
      const named = notify.people.find((one) => one.email === email);
      const person = named && (await personNow(named.name));
      if (link === undefined || person?.email !== email) return undefined;
      const url = new URL(link);
      const secret = signSentLink(approvals.key, {
        account: db.account,
        person: person.name,
        now: machine.now(),
      });
      url.hash = `signin=${secret}${item === undefined ? "" : `/inbox/${item.id}`}`;
      return url.href;
    },
  });
  for (const key of missing) onTrouble(`${key} is not set, so this channel is off.`);
  return {
    ...db,
    key: approvals.key,
    mayStillDecide: approvals.mayStillDecide,
    now: workflow.now,
    pageUrl: dashboardUrl(server.public_url, config.account),
    config: values,
    caps: workflow.caps,
    recipients: recipientsOf(notify.people, channels),
    personNow,
    approvalsBy: (by, mayDecide) => approvalsFor(services, { by, mayDecide, signal }),
    // In real time, whatever the sandbox's speed.
    leaseMs: intervals.runner_lease_seconds * 1_000 * speed,
    after: (ms, callback) => workflow.after(ms / speed, callback),
    pause: (ms, until) => machine.pause(ms / speed, until),
    watch: (onChange) => watchChanges({ url: storage.url, path: storage.db_path }, onChange),
    onTrouble,
  };
}
