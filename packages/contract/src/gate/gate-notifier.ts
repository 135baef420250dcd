import { setTimeout } from "node:timers/promises";
import type { ApprovalItem } from "../guards/approval-item.ts";
import type { SqlDatabase } from "../guards/sql.ts";
import type { GuardStorage } from "../guards/storage.ts";
import type { Recipient } from "../notify/approver-message.ts";
import { openChannels } from "../notify/channels.ts";
import { openNotices } from "../notify/notice-store.ts";
import { notifyApprovers } from "../notify/notify-approvers.ts";
import { approveSimilar, offerSimilar, offerText } from "./approve-similar.ts";
import { itemText } from "./item-text.ts";
import type { NotifySettings } from "./notify-settings.ts";
import { suspensionNotices } from "./rule-notices.ts";
import { followSimilar } from "./similar-rules.ts";

export interface GateNotifier {
  readonly settings: NotifySettings;
  readonly storage: GuardStorage;
  /** The database of the storage. It is closed when the notifier stops. */
  readonly database: SqlDatabase;
  /** Signs buttons. */
  readonly key: Uint8Array;
  /** The command that shows waiting items. */
  readonly command: string;
  readonly readsFiles: (tool: string) => boolean;
  /** The policy file, for rules that allow similar calls. */
  readonly policy?: string | undefined;
  readonly log: (message: string) => void;
}

/** Sends waiting items to the approvers of a gate and carries out their answers, until the returned function is called. */
export function startNotifier(options: GateNotifier): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(options, stopping.signal)
    .catch((error: Error) => options.log(`Notifications: ${error.message}`))
    .finally(() => options.database.close());
  return async () => {
    stopping.abort();
    await running;
  };
}

async function run(
  { settings, storage, database, key, command, readsFiles, policy, log }: GateNotifier,
  signal: AbortSignal,
): Promise<void> {
  const now = Date.now;
  const { channels, missing } = await openChannels({
    notify: settings,
    sender: { name: "toolpact", command },
    fetch: globalThis.fetch,
    now,
    // The inbox listens on loopback, so a mail has no link to it.
    signInLink: async () => undefined,
  });
  for (const name of missing) log(`${name} is not set, so this channel is off.`);
  const recipients = settings.people.flatMap((person): readonly Recipient[] =>
    [...channels.values()].flatMap((channel) => {
      const address = channel.addressOf(person);
      return address === undefined ? [] : [{ person, channel, address }];
    }),
  );
  await notifyApprovers(
    {
      storage,
      notices: await openNotices(database, storage.scope),
      key,
      recipients,
      now,
      textOf: (item) => itemText(item, now(), readsFiles(item.tool)),
      pause: (ms, until) => setTimeout(ms, undefined, { signal: until }).catch(() => {}),
      log,
      ...(policy !== undefined && {
        announcements: suspensionNotices(
          followSimilar({ path: policy, similar: [] }, storage, log),
          storage,
          now,
        ),
      }),
      similar: policy === undefined ? undefined : similarIn(policy, storage, now),
    },
    signal,
  );
}

function similarIn(policy: string, storage: GuardStorage, now: () => number) {
  return {
    async offer(item: ApprovalItem) {
      const offer = await offerSimilar(item, { period: "week", by: "", now: now() }, storage);
      return offer.ok ? offerText(offer.value) : undefined;
    },
    approve: (item: ApprovalItem, choice: { readonly period: "day" | "week"; readonly by: string }) =>
      approveSimilar(item, { ...choice, now: now() }, { storage, policy }),
  };
}
