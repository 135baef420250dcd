import { createHmac } from "node:crypto";
import { canonicalJson } from "@toolpact/contract/internal";
import { peopleLine, sameDigest } from "@toolpact/contract/internal/guards";
import { itemLink } from "../approval/agent-view.ts";
import { formatItem } from "../approval/consent.ts";
import { offersSimilar, type QueuedMutation } from "../approval/item.ts";
import { needsPasskey } from "../approval/needs-passkey.ts";
import { mediaNames } from "../guards/approval/media-bytes.ts";
import type { Session } from "../storage/store.ts";
import { ACTIONS, type Action, isApproval, type Message, type Person } from "./channel.ts";
import type { ChannelName } from "./channels.ts";

export interface MessageContext extends Session {
  /** The key of the digests of items. */
  readonly key: Uint8Array;
  readonly now: () => number;
  readonly pageUrl: string | undefined;
}

/** A user who may decide, by the id that this service has for them. */
export interface Answerer {
  readonly person: Person;
  readonly channel: ChannelName;
  readonly address: string;
}

/** An item as a message for one person. Its buttons count for this person and this content alone. */
export async function itemMessage(
  context: MessageContext,
  id: string,
  item: QueuedMutation,
  answerer: Answerer,
): Promise<Message> {
  const { store, account, now } = context;
  const view = { account, now: now(), mediaNames: await mediaNames(store.db, account, item.media) };
  // Approvals that need a passkey are given in the dashboard.
  const isSigned = await needsPasskey(store.db, account);
  const actions = ACTIONS.filter(
    (action) => !(isSigned && isApproval(action)) && (!action.startsWith("similar_") || offersSimilar(item)),
  );
  const waits = item.status === "pending" && item.expiresAt > now();
  return {
    id,
    kind: "approval_waiting",
    title: waits ? `Item ${item.id} waits for you: ${item.tool}` : stateLine(item),
    text: formatItem(item, view),
    link: context.pageUrl === undefined ? undefined : itemLink(context.pageUrl, item.id),
    item: {
      id: item.id,
      status: item.status,
      ...(waits &&
        mayDecide(answerer.person) && {
          tokens: Object.fromEntries(
            actions.map((action) => [action, answerToken(context, item, answerer, action)]),
          ),
        }),
    },
  };
}

export function mayDecide({ role }: Person): boolean {
  return role !== "viewer";
}

/** The state of an item in one line. */
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
        : `Item ${id} was withdrawn by the agent.`;
  }
}

/** The secret of a button. It identifies the content, the recipient and the answer. */
export function answerToken(
  { key, account }: Pick<MessageContext, "key" | "account">,
  { id, digest }: Pick<QueuedMutation, "id" | "digest">,
  { person, channel, address }: Answerer,
  action: Action,
): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["answer", account, id, digest, person.name, channel, address, action]))
    .digest("base64url")
    .slice(0, TOKEN_LENGTH);
}

/** 132 bits: buttons of Telegram hold 64 bytes. */
const TOKEN_LENGTH = 22;

export function isToken(given: string, wanted: string): boolean {
  return sameDigest(given, wanted);
}
