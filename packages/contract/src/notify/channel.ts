import type { Outcome } from "@toolpact/outcome";
/** A notification. */
export interface Message {
  /** The same for every attempt to send the message, so receivers can recognize repeats. */
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  /** The address in the dashboard. */
  readonly link?: string | undefined;
  /** The item to decide about, if there is one. */
  readonly item?: MessageItem | undefined;
}

export interface MessageItem {
  readonly id: number;
  readonly status: string;
  /** The secret of each button; none where the item is decided, or the person may not decide. */
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

/** True for an answer that sends something. The message must then show the whole content. */
export function isApproval(action: Action): boolean {
  return action !== "reject" && action !== "show";
}

/** True if a message has a button for it. A message that shows only part of the content offers the rest, and no approval. */
export function isOffered(action: Action, showsAll: boolean): boolean {
  return showsAll ? action !== "show" : !isApproval(action);
}

/** Why something was not sent. `message` holds no secret. */
export interface SendFailure {
  readonly message: string;
  /** Whether another try would fail too. */
  readonly isFinal: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** An answer that came from a service. The service vouches for the id of the user, and for nothing else. */
export type Answer = { readonly userId: string } & (
  | { readonly action: Action; readonly item: number; readonly token: string }
  /** In reply to a message: a new text, or a no with a reason. */
  | { readonly action: "edit" | "refuse"; readonly message: string; readonly text: string }
);

/** The response to an answer. */
export interface Reply {
  readonly text: string;
  /** The whole of the item, where they asked for it. */
  readonly shows?: Message | undefined;
}

/** The service behind a channel, as its file in `channels/` implements it. `CHANNELS` holds everything else about it. */
export interface Service {
  /** Returns the service's id of the message, for later changes. */
  readonly send: (
    address: string,
    message: Message,
    signal: AbortSignal,
  ) => Promise<Outcome<string | undefined, SendFailure>>;
  /** Shows the state of the item in a message that was sent. */
  readonly update?: (
    address: string,
    sent: string,
    message: Message,
    signal: AbortSignal,
  ) => Promise<Outcome<unknown, SendFailure>>;
  /** Takes answers until the signal fires. */
  readonly listen?: (take: (answer: Answer) => Promise<Reply>, signal: AbortSignal) => Promise<void>;
}
