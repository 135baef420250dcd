import type { Outcome } from "@toolpact/outcome";
export interface Message {
  /** Equal for every attempt, so receivers recognize repeats. */
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  /** In the dashboard. */
  readonly link?: string | undefined;
  readonly item?: MessageItem | undefined;
}

export interface MessageItem {
  readonly id: number;
  readonly status: string;
  /** One per button; none if the item is decided, or the person may not decide. */
  readonly tokens?: Readonly<Partial<Record<Action, string>>> | undefined;
}

export const ACTIONS = ["approve", "similar_day", "similar_week", "reject", "show"] as const;
export type Action = (typeof ACTIONS)[number];

export const LABELS: Readonly<Record<Action, string>> = {
  approve: "Approve",
  similar_day: "Allow similar for a day",
  similar_week: "Allow similar for a week",
  reject: "Reject",
  show: "Show",
};

/** True if it sends something, so the message must show the whole content. */
export function isApproval(action: Action): boolean {
  return action !== "reject" && action !== "show";
}

/** A message that shows only part of the content has no button for approval. */
export function isOffered(action: Action, showsAll: boolean): boolean {
  return showsAll ? action !== "show" : !isApproval(action);
}

/** `message` holds no secret. */
export interface SendFailure {
  readonly message: string;
  /** True if another attempt would fail too. */
  readonly isFinal: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** The service vouches for the user's id, and for nothing else. */
export type Answer = { readonly userId: string } & (
  | { readonly action: Action; readonly item: number; readonly token: string }
  /** A reply to a message: a new text, or a no with a reason. */
  | { readonly action: "edit" | "refuse"; readonly message: string; readonly text: string }
);

export interface Reply {
  readonly text: string;
  /** The whole item, if requested. */
  readonly shows?: Message | undefined;
}

/** A channel's service, implemented in `channels/`. `CHANNELS` holds the rest. */
export interface Service {
  /** Returns the service's id of the message. */
  readonly send: (
    address: string,
    message: Message,
    signal: AbortSignal,
  ) => Promise<Outcome<string | undefined, SendFailure>>;
  readonly update?: (
    address: string,
    sent: string,
    message: Message,
    signal: AbortSignal,
  ) => Promise<Outcome<unknown, SendFailure>>;
  readonly listen?: (take: (answer: Answer) => Promise<Reply>, signal: AbortSignal) => Promise<void>;
}
