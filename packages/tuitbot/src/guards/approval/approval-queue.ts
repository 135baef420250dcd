import type { JsonObject, Outcome } from "@toolpact/contract";

/** Where calls wait for a person. */
export interface ApprovalQueue<Waiting extends AskedCall, Item extends QueuedCall, Refusal> {
  /** Adds a call, or finds it there: the same call waits once. */
  readonly propose: (waiting: Waiting) => Promise<Outcome<Item, Refusal>>;
  /** Keeps what a call is about, which the person sees beside it. It is no part of what they approve. */
  readonly saveContext: (id: number, context: object) => Promise<void>;
}

/** A call that needs a person. */
export interface AskedCall {
  readonly tool: string;
  /** Exactly what will be carried out. */
  readonly args: JsonObject;
  /** Why it needs a person. */
  readonly reason: string;
  /** How many different people have to approve it; one unless given. */
  readonly peopleNeeded?: number | undefined;
  /** Whose token it came with. */
  readonly principal?: string | undefined;
  readonly now: number;
  readonly expiresAt: number;
}

export interface QueuedCall {
  readonly id: number;
  /** What it is about, where that was read. */
  readonly context?: object | undefined;
  readonly expiresAt: number;
}

/** Queues a call for a person. What it is about is read once it waits, so that it waits whatever becomes of that. */
export async function askFirst<Waiting extends AskedCall, Item extends QueuedCall, Refusal>(
  queue: ApprovalQueue<Waiting, Item, Refusal>,
  waiting: Waiting,
  about?: () => Promise<object>,
): Promise<Outcome<Item, Refusal>> {
  const queued = await queue.propose(waiting);
  if (queued.ok && queued.value.context === undefined && about !== undefined)
    await queue.saveContext(queued.value.id, await about());
  return queued;
}
