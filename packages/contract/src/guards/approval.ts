import type { Asks } from "../ask.ts";
import type { Call } from "../call.ts";
import { type Clock, DAY_MS } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import type { ApprovalItem } from "./approval-item.ts";
import { askPerson, type DecisionRules, type SeenItem } from "./ask-person.ts";
import type { CallIdentity } from "./receipt.ts";
import type { Refusal } from "./refusals.ts";
import { formatItem } from "./shown-item.ts";
import type { GuardStorage } from "./storage.ts";

/** Which calls need approval, and how approvers are asked. */
export interface ApprovalPart<Facts = unknown, Plan = unknown> {
  /** Calls that change something need approval unless this returns false. */
  readonly needs?: (call: Call<Facts, Plan>) => boolean;
  /** The number of different people who must approve. Default 1. */
  readonly people?: (call: Call<Facts, Plan>) => number;
  /** Reads the state the call depends on, shown to the approver. A call whose state has changed since is rejected. */
  readonly binds?: (call: Call<Facts, Plan>) => JsonObject | Promise<JsonObject>;
  /** Why the call needs approval, as a sentence for the approver. */
  readonly reason?: (call: Call<Facts, Plan>) => string;
  /** Whose answers through the client count. Without it, nobody is asked there. */
  readonly inClient?: DecisionRules;
  /** Asks in the product's words instead of `inClient`. Undefined leaves the item waiting. */
  readonly ask?: (call: Call<Facts, Plan>, item: ApprovalItem) => Asks | ClientDecision | undefined;
  /** How long an approver can decide. Default: a day. */
  readonly expiresMs?: number;
  /** How long a call waits for a decision before it is rejected as waiting. Default 0. */
  readonly waitMs?: number | ((call: Call<Facts, Plan>) => number);
  /** An approved item that the product sends for a caller who has left. */
  readonly released?: (call: Call<Facts, Plan>) => number | undefined;
  readonly onWait?: (call: Call<Facts, Plan>, item: ApprovalItem, times: number) => void;
}

/** A person's answer through the client. */
export interface ClientDecision {
  readonly approve: boolean;
  readonly by: string;
}

export type ApprovalResult =
  | { readonly kind: "approved"; readonly itemId: number }
  | { readonly kind: "asks"; readonly asks: Asks }
  | { readonly kind: "refused"; readonly refusal: Refusal<never> };

/** Stores a call for approval, asks or waits as configured, and returns the approved item. */
export async function requireApproval<Facts, Plan>(
  approval: ApprovalPart<Facts, Plan>,
  call: Call<Facts, Plan>,
  identity: CallIdentity,
  { clock, storage }: { readonly clock: Clock; readonly storage: GuardStorage },
): Promise<ApprovalResult> {
  const { people, binds, reason, expiresMs = DAY_MS } = approval;
  const waitMs = waitOf(approval, call);
  const now = clock.now();
  const proposed = await storage.propose({
    ...identity,
    reason: reason?.(call) ?? `${identity.tool} needs approval.`,
    context: await binds?.(call),
    client: call.caller.client,
    peopleNeeded: people?.(call) ?? 1,
    expiresAt: now + expiresMs,
    // Slightly longer: `releaseApproved` must not send an item this caller is about to send.
    heldUntil: isHeld(approval, call) ? now + waitMs + 2 * POLL_MS : 0,
    now,
  });
  if (!proposed.ok) return { kind: "refused", refusal: proposed.failure };
  let item = proposed.value;
  if (item.status === "waiting") {
    const asks = await askInClient(approval, call, item, { clock, storage });
    if (asks !== undefined) return { kind: "asks", asks };
    item = await waitForDecision(approval, call, item, { clock, storage });
  }
  switch (item.status) {
    case "approved":
      return { kind: "approved", itemId: item.id };
    case "rejected":
    case "expired":
    case "waiting":
      return { kind: "refused", refusal: { kind: item.status, item } };
  }
}

const POLL_MS = 200;
const POLLS_PER_NOTICE = 25;

/** Stores the answer through the client, or returns the form to show. */
async function askInClient<Facts, Plan>(
  { inClient: rules, ask }: ApprovalPart<Facts, Plan>,
  call: Call<Facts, Plan>,
  item: ApprovalItem,
  { clock, storage }: { readonly clock: Clock; readonly storage: GuardStorage },
): Promise<Asks | undefined> {
  const now = clock.now();
  const decide = ({ id, digest }: SeenItem, { approve, by }: ClientDecision) =>
    storage.decide({ id, digest, approve, by, note: "", now });
  if (ask !== undefined) {
    const answer = ask(call, item);
    if (answer === undefined) return undefined;
    if ("ok" in answer) return answer;
    await decide(item, answer);
  } else if (rules !== undefined) {
    const show = () => formatItem(item, now);
    const consent = askPerson(call.ask, [item], { to: "approve", caller: call.caller, rules, now, show });
    if (consent.ok === null) return consent;
    // Only items that were shown count, with the shown content.
    if (consent.ok) for (const seen of consent.items) await decide(seen, { approve: true, by: consent.by });
  }
  return undefined;
}

async function waitForDecision<Facts, Plan>(
  approval: ApprovalPart<Facts, Plan>,
  call: Call<Facts, Plan>,
  item: ApprovalItem,
  { clock, storage }: { readonly clock: Clock; readonly storage: GuardStorage },
): Promise<ApprovalItem> {
  const { onWait } = approval;
  const until = clock.now() + waitOf(approval, call);
  let current = (await storage.item(item.id)) ?? item;
  for (let polls = 0; current.status === "waiting" && clock.now() < until && !call.signal.aborted; polls++) {
    if (polls % POLLS_PER_NOTICE === 0) onWait?.(call, current, polls / POLLS_PER_NOTICE + 1);
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    current = (await storage.item(item.id)) ?? current;
  }
  if (isHeld(approval, call) && current.status === "waiting") await storage.hold(item.id, 0);
  return current;
}

function waitOf<Facts, Plan>({ waitMs = 0 }: ApprovalPart<Facts, Plan>, call: Call<Facts, Plan>): number {
  return typeof waitMs === "function" ? waitMs(call) : waitMs;
}

/** True if the caller is still waiting and may send the item itself. */
function isHeld<Facts, Plan>(approval: ApprovalPart<Facts, Plan>, call: Call<Facts, Plan>): boolean {
  return waitOf(approval, call) > 0 || approval.ask !== undefined || approval.inClient !== undefined;
}
