import { randomUUID } from "node:crypto";
import type { Clock, Failure } from "@toolpact/contract";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import type { Channel, Message, SendFailure } from "@toolpact/contract/internal/notify";
import { type Outcome, ok } from "@toolpact/outcome";
import type { RuleSession } from "../approval/learned-rules.ts";
import { findItem } from "../approval/queue.ts";
import { keepRenewing, RENEWALS, takeLease } from "../autopilot/lease.ts";
import type { Config } from "../config/schema.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import { eventsNow } from "./events.ts";
import { itemMessage } from "./messages.ts";
import {
  type Notice,
  type NoticeEvent,
  nextDue,
  noteTry,
  storeNotices,
  takeDue,
  takeOutdated,
} from "./outbox.ts";
import { dueAt, type Recipient, wants } from "./recipients.ts";
import { type AnswerContext, takeAnswer } from "./take-answer.ts";

export interface NotifierSetting extends AnswerContext, Pick<RuleSession, "mayStillDecide"> {
  readonly config: Pick<Config, "notify" | "schedule">;
  readonly caps: Pick<BudgetCaps, "perDay" | "perMonth">;
  readonly leaseMs: number;
  readonly after: Clock["after"];
  /** Milliseconds, or until the signal. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Until the returned function is called. */
  readonly watch: (onChange: () => void) => () => Promise<void>;
  readonly onTrouble: (message: string) => void;
}

const LEASE = "notifier";

/** For changes that only time causes. */
const LOOK_MS = 30_000;

/** In one process per account at a time. */
export async function runNotifier(setting: NotifierSetting, signal: AbortSignal): Promise<void> {
  const { leaseMs, now, pause, after, onTrouble } = setting;
  const request = { name: LEASE, holder: randomUUID(), now, lifeMs: leaseMs };
  while (!signal.aborted) {
    const taken = await orStorageFailure(async () => ok(await takeLease(setting, request)));
    if (!taken.ok || "takenUntil" in taken.value) {
      await pause(leaseMs / RENEWALS, signal);
      continue;
    }
    const lease = taken.value;
    const lost = new AbortController();
    const stopRenewing = keepRenewing(lease, after, leaseMs, () => lost.abort());
    try {
      await work(setting, AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : "unknown");
      await pause(leaseMs / RENEWALS, signal);
    } finally {
      lost.abort();
      await stopRenewing();
      await orStorageFailure(async () => ok(await lease.release()));
    }
  }
}

async function work(setting: NotifierSetting, signal: AbortSignal): Promise<void> {
  const { pause, watch, onTrouble } = setting;
  let wake = new AbortController();
  const stopWatching = watch(() => wake.abort());
  const channels = new Set(setting.recipients.map(({ channel }) => channel));
  const listening = [...channels].map((channel) => listenTo(channel, setting, signal));
  try {
    while (!signal.aborted) {
      wake = new AbortController();
      const passed = await notifierPass(setting, signal);
      if (!passed.ok) onTrouble(passed.failure.message);
      const next = passed.ok ? passed.value : undefined;
      const ms = Math.min(LOOK_MS, next === undefined ? LOOK_MS : Math.max(0, next - setting.now()));
      await pause(ms, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    await stopWatching();
    await Promise.all(listening);
  }
}

async function listenTo(channel: Channel, setting: NotifierSetting, signal: AbortSignal): Promise<void> {
  if (channel.listen === undefined) return;
  while (!signal.aborted) {
    try {
      await channel.listen((answer) => takeAnswer(setting, channel, answer), signal);
      // The service requires a new connection.
      await setting.pause(RECONNECT_MS, signal);
    } catch (error) {
      setting.onTrouble(`${channel.name}: ${error instanceof Error ? error.message : "unknown"}`);
      await setting.pause(LISTEN_AGAIN_MS, signal);
    }
  }
}

const RECONNECT_MS = 250;
const LISTEN_AGAIN_MS = 5_000;

/** Stores, sends and updates messages. Returns when the next is due. */
export function notifierPass(
  everybody: NotifierSetting,
  signal: AbortSignal,
): Promise<Outcome<number | undefined, Failure>> {
  return orStorageFailure(async () => {
    const setting = { ...everybody, recipients: await recipientsNow(everybody) };
    const { recipients, caps, now } = setting;
    const isWanted = (kind: NoticeEvent["kind"]) => recipients.some((recipient) => wants(recipient, kind));
    for (const event of await eventsNow(setting, caps, now(), isWanted)) await tell(setting, event);
    await sendDue(setting, signal);
    await showStates(setting, signal);
    return ok(await nextDue(setting));
  });
}

/** With current role and address. */
async function recipientsNow({
  recipients,
  personNow,
}: Pick<NotifierSetting, "recipients" | "personNow">): Promise<readonly Recipient[]> {
  const found = await Promise.all(
    recipients.map(async (recipient) => {
      const person = await personNow(recipient.person.name);
      const isSame = person !== undefined && recipient.channel.addressOf(person) === recipient.address;
      return isSame ? [{ ...recipient, person }] : [];
    }),
  );
  return found.flat();
}

/** For everyone subscribed. */
export async function tell(
  setting: Pick<NotifierSetting, "store" | "account" | "config" | "recipients" | "now">,
  event: NoticeEvent,
): Promise<void> {
  const { config, recipients, now } = setting;
  const times = { digest_times: config.notify.digest_times, timezone: config.schedule.timezone };
  const at = now();
  const wanting = recipients
    .filter((recipient) => wants(recipient, event.kind))
    .map((recipient) => ({ ...recipient, dueAt: dueAt(recipient.person, times, at) }));
  await storeNotices(setting, event, wanting, at);
}

async function sendDue(setting: NotifierSetting, signal: AbortSignal): Promise<void> {
  const { recipients, now } = setting;
  const due = await takeDue(setting, now());
  for (const recipient of recipients) {
    const own = due.filter((notice) => isFor(recipient, notice));
    const batches = recipient.person.when === "digest" && own.length > 1 ? [own] : own.map((one) => [one]);
    for (const batch of batches) await sendBatch(setting, recipient, batch, signal);
  }
  // Removed from the configuration.
  const orphans = due.filter((notice) => !recipients.some((recipient) => isFor(recipient, notice)));
  const gone: SendFailure = { message: "Nobody of this name is configured for it.", isFinal: true };
  await noteTry(setting, orphans, { now: now(), failure: gone, isLast: true });
}

function isFor({ person, channel }: Recipient, notice: Notice): boolean {
  return person.name === notice.person && channel.name === notice.channel;
}

/** Several form a digest. */
async function sendBatch(
  setting: NotifierSetting,
  recipient: Recipient,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = notices;
  if (first === undefined) return;
  const { channel, address } = recipient;
  const isDigest = notices.length > 1;
  const message = isDigest ? digestOf(setting, notices) : await messageOf(setting, recipient, first);
  if (message === undefined) return noteTry(setting, notices, { now: setting.now(), isLast: true });
  const sent = await channel.send(address, message, signal);
  await noteTry(setting, notices, {
    now: setting.now(),
    isLast: isDigest || first.approval_id === null || channel.update === undefined,
    ...(sent.ok ? { message: sent.value, shown: message.item?.status } : { failure: sent.failure }),
  });
}

/** Undefined if decided or edited before it was sent. */
async function messageOf(
  setting: NotifierSetting,
  { person, channel, address }: Recipient,
  { id, kind, title, text, approval_id, digest }: Notice,
): Promise<Message | undefined> {
  const messageId = idOf(setting, id);
  // Stored by `tell`, with this kind.
  if (approval_id === null) return { id: messageId, kind: kind as Message["kind"], title, text };
  const found = await findItem(setting.store.db, setting.account, approval_id);
  if (!found.ok || found.value.status !== "pending" || found.value.digest !== digest) return undefined;
  return itemMessage(setting, messageId, found.value, { person, channel: channel.name, address });
}

function digestOf(setting: NotifierSetting, notices: readonly Notice[]): Message {
  const waits = notices.some(({ approval_id }) => approval_id !== null);
  return {
    id: idOf(setting, notices[0]?.id ?? 0),
    kind: "digest",
    title: `${notices.length} things to know`,
    text: [
      ...notices.map(({ title, text }) => `• ${title}${text === "" ? "" : `\n  ${text}`}`),
      ...(waits ? ["Decide on the page, or with `tuitbot approve`."] : []),
    ].join("\n"),
    ...(setting.pageUrl !== undefined && { link: setting.pageUrl }),
  };
}

/** Several accounts may notify the same person. */
function idOf({ account }: NotifierSetting, notice: number): string {
  return `tuitbot-${account}-${notice}`;
}

/** In messages that were sent. */
async function showStates(setting: NotifierSetting, signal: AbortSignal): Promise<void> {
  const { recipients, now } = setting;
  for (const notice of await takeOutdated(setting, now())) {
    const recipient = recipients.find((one) => isFor(one, notice));
    const found = await findItem(setting.store.db, setting.account, notice.approval_id ?? 0);
    const update = recipient?.channel.update;
    if (recipient === undefined || update === undefined || !found.ok || notice.message === null) {
      await noteTry(setting, [notice], { now: now(), isLast: true });
      continue;
    }
    const { channel, address, person } = recipient;
    const isEdited = found.value.digest !== notice.digest && found.value.status === "pending";
    const message: Message = isEdited
      ? {
          id: idOf(setting, notice.id),
          kind: "approval_waiting",
          title: `Item ${found.value.id} was edited`,
          text: "Decide about the new text, which comes in a separate message.",
          item: { id: found.value.id, status: "edited" },
        }
      : await itemMessage(setting, idOf(setting, notice.id), found.value, {
          person,
          channel: channel.name,
          address,
        });
    const updated = await update(address, notice.message, message, signal);
    await noteTry(setting, [notice], {
      now: now(),
      isLast: isEdited || OVER.has(found.value.status),
      shown: found.value.status,
      ...(!updated.ok && { failure: updated.failure }),
    });
  }
}

const OVER: ReadonlySet<string> = new Set(["executed", "rejected", "expired", "approved"]);
