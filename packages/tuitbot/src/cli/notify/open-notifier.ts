import { DAY_MS } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { openChannels } from "../../notify/channels.ts";
import type { NotifierSetting } from "../../notify/notifier.ts";
import { recipientsOf } from "../../notify/recipients.ts";
import { watchChanges } from "../../storage/watch-changes.ts";
import { signSentLink } from "../../web/sent-link.ts";
import { approvalSession } from "../approve/approval-session.ts";
import type { Machine } from "../machine.ts";
import type { Needed } from "./server-notifier.ts";

/** A mail may be read the next morning. */
const LINK_MS = DAY_MS;

export interface NotifierPlace {
  /** How many times as fast as real time the clock of the account runs. */
  readonly speed: number;
  readonly machine: Pick<Machine, "fetch" | "now" | "pause">;
  readonly onTrouble: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Everything that telling people and taking their answers needs. */
export async function openNotifier(
  services: Needed,
  { speed, machine, onTrouble, signal }: NotifierPlace,
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
    decisionsOf: async (by) => ok(approvalSession(services, by, signal)),
    // A lease lasts as long by the clock on the wall, however fast that of the sandbox runs.
    leaseMs: intervals.runner_lease_seconds * 1_000 * speed,
    after: (ms, callback) => workflow.after(ms / speed, callback),
    pause: (ms, until) => machine.pause(ms / speed, until),
    watch: (onChange) => watchChanges({ url: storage.url, path: storage.db_path }, onChange),
    onTrouble,
  };
}
