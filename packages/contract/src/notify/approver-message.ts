import type { Outcome } from "@toolpact/outcome";
import type { ApprovalItem } from "../guards/approval-item.ts";
import type { SimilarFor } from "../guards/learning/allow-similar.ts";
import { visible } from "../guards/shown-text.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { answerToken } from "./answer-token.ts";
import { ACTIONS, type Message } from "./channel.ts";
import type { Addressed, Channel } from "./channels.ts";
import type { NoticeStore } from "./notice-store.ts";

export interface Recipient {
  readonly person: Addressed;
  readonly channel: Channel;
  readonly address: string;
}

export interface ApproverContext {
  readonly storage: GuardStorage;
  readonly notices: NoticeStore;
  readonly key: Uint8Array;
  readonly recipients: readonly Recipient[];
  readonly now: () => number;
  /** The whole item, as approvers read it. */
  readonly textOf: (item: ApprovalItem) => Promise<string>;
  /** Set if the storage is a gate's. */
  readonly similar?: SimilarChoice | undefined;
}

export interface SimilarChoice {
  /** Undefined if no rule should be offered. */
  readonly offer: (item: ApprovalItem) => Promise<readonly string[] | undefined>;
  /** Approves the item as shown and adds the rule. Fails with a sentence. */
  readonly approve: (
    item: ApprovalItem,
    choice: { readonly period: SimilarFor; readonly by: string },
  ) => Promise<Outcome<unknown, string>>;
}

/** The buttons are valid for this person and content only. */
export async function approverMessage(
  context: ApproverContext,
  item: ApprovalItem,
  { person, channel, address }: Recipient,
): Promise<Message> {
  const { storage, key } = context;
  const { id, digest, status } = item;
  const isWaiting = status === "waiting";
  const offer = isWaiting ? await context.similar?.offer(item) : undefined;
  const actions = ACTIONS.filter((action) => offer !== undefined || !action.startsWith("similar_"));
  const token = (action: (typeof ACTIONS)[number]) =>
    answerToken(key, {
      scope: storage.scope,
      item: { id, digest },
      person: person.name,
      channel: channel.name,
      address,
      action,
    });
  return {
    id: `${storage.scope}-${id}`,
    kind: "approval_waiting",
    title: stateLine(item),
    text: [
      await context.textOf(item),
      ...(offer === undefined
        ? []
        : ["", "“Allow similar for a week” adds this rule; “for a day” the same for a day:", ...offer]),
    ].join("\n"),
    item: {
      id,
      status,
      ...(isWaiting && { tokens: Object.fromEntries(actions.map((action) => [action, token(action)])) }),
    },
  };
}

export function stateLine({ id, tool, status, decidedBy, note }: ApprovalItem): string {
  const by = decidedBy === undefined ? "" : `, ${decidedBy}`;
  switch (status) {
    case "waiting":
      return `Approve ${visible(tool)}?`;
    case "approved":
      return `Item ${id} is approved${by}.`;
    case "rejected":
      return `Item ${id} is rejected${by}${note === undefined ? "." : `: ${note}`}`;
    case "expired":
      return `Item ${id} expired before anybody decided.`;
  }
}
