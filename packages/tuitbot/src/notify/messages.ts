import { peopleLine, sameDigest } from "@toolpact/contract/internal/guards";
import {
  ACTIONS,
  type Action,
  answerToken,
  type ButtonAnswer,
  type ChannelName,
  isApproval,
  type Message,
} from "@toolpact/contract/internal/notify";
import { itemLink } from "../approval/agent-view.ts";
import { offersSimilar, type QueuedMutation } from "../approval/item.ts";
import { needsPasskey } from "../approval/needs-passkey.ts";
import { mediaNames } from "../guards/approval/media-bytes.ts";
import type { Session } from "../storage/store.ts";
import { noticeText, noticeTitle } from "./notice-text.ts";
import type { Person } from "./person.ts";

export interface MessageContext extends Session {
  readonly key: Uint8Array;
  readonly now: () => number;
  readonly pageUrl: string | undefined;
}

export interface Answerer {
  readonly person: Person;
  readonly channel: ChannelName;
  readonly address: string;
}

/** Buttons count for this person and content only. */
export async function itemMessage(
  context: MessageContext,
  id: string,
  item: QueuedMutation,
  answerer: Answerer,
): Promise<Message> {
  const { store, account, now } = context;
  const view = { account, now: now(), mediaNames: await mediaNames(store.db, account, item.media) };
  // Passkeys work in the dashboard.
  const isSigned = await needsPasskey(store.db, account);
  const actions = ACTIONS.filter(
    (action) => !(isSigned && isApproval(action)) && (!action.startsWith("similar_") || offersSimilar(item)),
  );
  const waits = item.status === "pending" && item.expiresAt > now();
  return {
    id,
    kind: "approval_waiting",
    title: waits ? noticeTitle(item) : stateLine(item),
    text: noticeText(item, view),
    link: context.pageUrl === undefined ? undefined : itemLink(context.pageUrl, item.id),
    item: {
      id: item.id,
      status: item.status,
      ...(waits &&
        mayDecide(answerer.person) && {
          tokens: Object.fromEntries(
            actions.map((action) => [
              action,
              answerToken(context.key, buttonOf(context, item, answerer, action)),
            ]),
          ),
        }),
    },
  };
}

export function mayDecide({ role }: Person): boolean {
  return role !== "viewer";
}

/** In one line. */
export function stateLine(item: QueuedMutation): string {
  const { id, status, decidedBy, note, error } = item;
  const by = decidedBy === undefined ? "" : `, ${decidedBy}`;
  switch (status) {
    case "pending":
      return `Item ${id} waits. ${peopleLine(item) ?? ""}`.trim();
    case "approved":
      return `Item ${id} is approved and goes out at its time${by}.`;
    case "releasing":
      return `Item ${id} is approved and being sent${by}.`;
    case "executed":
      return `Item ${id} is approved and done${by}.`;
    case "failed":
      return `Item ${id} was approved and failed${by}${error === undefined ? "" : `: ${error.message}`}`;
    case "rejected":
      return `Item ${id} is rejected${by}${note === undefined ? "." : `: ${note}`}`;
    case "expired":
      return decidedBy === undefined
        ? `Item ${id} expired before anybody decided.`
        : `Item ${id} was withdrawn${by}.`;
  }
}

export function buttonOf(
  { account }: Pick<MessageContext, "account">,
  item: Pick<QueuedMutation, "id" | "digest">,
  { person, channel, address }: Answerer,
  action: Action,
): ButtonAnswer {
  return { scope: account, item, person: person.name, channel, address, action };
}

export function isToken(given: string, wanted: string): boolean {
  return sameDigest(given, wanted);
}
