import { randomUUID } from "node:crypto";
import { MINUTE_MS } from "../clock.ts";
import { maskSecrets } from "../redact.ts";
import { type ApproverContext, approverMessage, type Recipient } from "./approver-message.ts";
import type { Message } from "./channel.ts";
import type { Channel } from "./channels.ts";
import type { Notice } from "./notice-store.ts";
import { takeApproverAnswer } from "./take-approver-answer.ts";

/** A message without a decision. Each approver gets it once by each channel. */
export interface Announcement extends Pick<Message, "kind" | "title" | "text"> {
  /** Distinguishes it from other subjects. */
  readonly subject: string;
}

export interface ApproverSetting extends ApproverContext {
  readonly announcements?: () => Promise<readonly Announcement[]>;
  /** Resolves after the time, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: (message: string) => void;
}

const LOOK_MS = 1_000;
const LEASE_MS = 20_000;
const SEND_MS = MINUTE_MS;
const LISTEN_AGAIN_MS = 5_000;

/** Sends items to approvers and carries out answers until aborted. One process on a database does this at a time. */
export async function notifyApprovers(setting: ApproverSetting, signal: AbortSignal): Promise<void> {
  const { notices, now, pause } = setting;
  const holder = randomUUID();
  const leads = () =>
    notices.lead(holder, now(), now() + LEASE_MS).catch((error: Error) => {
      setting.log(`Notifications: ${maskSecrets(error.message)}`);
      return false;
    });
  while (!signal.aborted) {
    if (!(await leads())) {
      await pause(LEASE_MS / 4, signal);
      continue;
    }
    const lost = new AbortController();
    const own = AbortSignal.any([signal, lost.signal]);
    const channels = new Set(setting.recipients.map(({ channel }) => channel));
    const jobs = [
      sendUntil(setting, own),
      ...[...channels].map((channel) => listenUntil(channel, setting, own)),
    ];
    while (!own.aborted) {
      await pause(LEASE_MS / 4, own);
      if (!signal.aborted && !(await leads())) lost.abort();
    }
    // First, because a client may kill this process a second later, and nobody would send until the lease
    // ends.
    await notices.release(holder).catch(() => {});
    await Promise.all(jobs);
  }
}

async function sendUntil(setting: ApproverSetting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sendNotices(setting, signal).catch((error: Error) =>
      setting.log(`Notifications: ${maskSecrets(error.message)}`),
    );
    await setting.pause(LOOK_MS, signal);
  }
}

async function listenUntil(channel: Channel, setting: ApproverSetting, signal: AbortSignal): Promise<void> {
  if (channel.listen === undefined) return;
  while (!signal.aborted) {
    try {
      await channel.listen((answer) => takeApproverAnswer(setting, channel, answer), signal);
    } catch (error) {
      setting.log(`Notifications by ${channel.name}: ${maskSecrets((error as Error).message)}`);
    }
    await setting.pause(LISTEN_AGAIN_MS, signal);
  }
}

/** Sends due messages, and updates sent ones after a decision. */
export async function sendNotices(setting: ApproverSetting, signal: AbortSignal): Promise<void> {
  const { notices, storage, recipients, now } = setting;
  const waiting = await storage.items("waiting", now());
  const announced = new Map((await setting.announcements?.())?.map((one) => [one.subject, one]));
  const subjects = [...waiting.map(({ id }) => String(id)), ...announced.keys()];
  await notices.add(
    subjects.flatMap((subject) => recipients.map((one) => ({ subject, ...nameOf(one) }))),
    now(),
  );
  for (const notice of await notices.takeDue(now(), now() + SEND_MS)) {
    const recipient = recipientOf(setting, notice);
    const announcement = announced.get(notice.subject);
    const message =
      recipient === undefined
        ? undefined
        : announcement === undefined
          ? await waitingMessage(setting, notice, recipient)
          : { ...announcement, id: `${storage.scope}-${notice.subject}` };
    if (recipient === undefined || message === undefined) {
      await notices.closed(notice);
      continue;
    }
    const { channel, address } = recipient;
    const sent = await channel.send(address, message, signal);
    const isLast = announcement !== undefined || channel.update === undefined;
    if (sent.ok) await notices.wasSent(notice, sent.value, isLast);
    else await notices.failed(notice, sent.failure, now());
  }
  for (const notice of await notices.sent()) {
    const recipient = recipientOf(setting, notice);
    const item = await storage.item(Number(notice.subject));
    if (item?.status === "waiting" && recipient !== undefined) continue;
    if (recipient?.channel.update !== undefined && item !== undefined && notice.message !== undefined) {
      const message = await approverMessage(setting, item, recipient);
      const updated = await recipient.channel.update(recipient.address, notice.message, message, signal);
      if (!updated.ok && !updated.failure.isFinal) continue;
    }
    await notices.closed(notice);
  }
}

/** Undefined if the item no longer waits. */
async function waitingMessage(
  setting: ApproverSetting,
  { subject }: Notice,
  recipient: Recipient,
): Promise<Message | undefined> {
  const id = Number(subject);
  const item = Number.isInteger(id) ? await setting.storage.item(id) : undefined;
  return item?.status === "waiting" ? approverMessage(setting, item, recipient) : undefined;
}

function nameOf({ person, channel }: Recipient) {
  return { person: person.name, channel: channel.name };
}

function recipientOf({ recipients }: ApproverSetting, { person, channel }: Notice): Recipient | undefined {
  return recipients.find((one) => one.person.name === person && one.channel.name === channel);
}
