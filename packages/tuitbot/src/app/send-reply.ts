import type { Failure, JsonObject } from "@toolpact/contract";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { contentChanged } from "../approval/edit.ts";
import { needsPasskey } from "../approval/needs-passkey.ts";
import { alreadyDecided, findItem } from "../approval/queue.ts";
import type { CallResult } from "../approval/release.ts";
import { waitsForOthers } from "../approval/vote.ts";
import { approvalsOf, type PersonSession } from "./approvals.ts";
import type { SeenItem } from "./passkey-approval.ts";
import { UNDO_MS } from "./send-draft.ts";

/** They take effect in seconds, unless taken back. */
export interface HeldDecisions {
  readonly hold: (item: number, decide: () => Promise<unknown>) => void;
  /** False if already made, or never held. */
  readonly cancel: (item: number) => boolean;
  readonly has: (item: number) => boolean;
  /** The items stay in the inbox. */
  readonly close: () => void;
}

export function heldDecisions(onError: (message: string) => void): HeldDecisions {
  const timers = new Map<number, ReturnType<typeof setTimeout>>();
  return {
    hold(item, decide) {
      clearTimeout(timers.get(item));
      const timer = setTimeout(() => {
        decide()
          .catch((error: unknown) => onError(`The decision about item ${item}: ${String(error)}`))
          .finally(() => timers.delete(item));
      }, UNDO_MS);
      timers.set(item, timer);
    },
    has: (item) => timers.has(item),
    cancel(item) {
      clearTimeout(timers.get(item));
      return timers.delete(item);
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

export interface ReplySession extends PersonSession {
  /** With all guards, as the person. */
  readonly callTool: (tool: string, args: JsonObject) => Promise<CallResult>;
  readonly held: HeldDecisions;
}

/** `others`: more people must approve. `passkey`: `approve` it with a signature. `held`: sent soon. */
type SentReply =
  | { readonly state: "sent"; readonly item: null }
  | { readonly state: "others" | "passkey" | "held"; readonly item: SeenItem };

export function sendReply(
  { post_id, text }: { readonly post_id: string; readonly text: string },
  session: ReplySession,
): Promise<Outcome<SentReply, Failure>> {
  return sendOwn("x_reply_to_tweet", { in_reply_to_id: post_id, text }, session);
}

export function sendMessage(
  { conversation_id: id, text }: { readonly conversation_id: string; readonly text: string },
  session: ReplySession,
): Promise<Outcome<SentReply, Failure>> {
  return sendOwn("x_v2_dm_send_in_conversation", { id, text }, session);
}

/**
 * Makes a call whose approval is the person's act, given after ten seconds. If the server ends before, the
 * item waits.
 */
async function sendOwn(
  tool: string,
  args: JsonObject,
  session: ReplySession,
): Promise<Outcome<SentReply, Failure>> {
  const { callTool, db, held } = session;
  const called = await callTool(tool, args);
  if (called.ok === false) return failed(called.failure);
  // The policy required no approval, so it was sent.
  if (called.ok) return ok({ state: "sent", item: null });
  const found = await findItem(db.store.db, db.account, called.queued.approval_queue_id);
  if (!found.ok) return found;
  const { id, digest, peopleNeeded } = found.value;
  const item = { id, digest };
  const approve = () => approvalsOf({ ...session, signal: AbortSignal.timeout(APPROVE_MS) }).approve(item);
  if (peopleNeeded > 1) {
    const voted = await approve();
    if (voted.ok && waitsForOthers(voted.value)) return ok({ state: "others", item });
    if (!voted.ok && voted.failure.reason !== "needs_passkey") return voted;
  }
  if (await needsPasskey(db.store.db, db.account)) return ok({ state: "passkey", item });
  held.hold(id, approve);
  return ok({ state: "held", item });
}

/** For an approval that nobody waits for. */
const APPROVE_MS = 60_000;

export async function takeBackReply(item: SeenItem, session: ReplySession) {
  session.held.cancel(item.id);
  const rejected = await approvalsOf(session).reject(item, "The person took the reply back.");
  return rejected.ok ? ok({ taken_back: true }) : rejected;
}

/** In ten seconds. Until then the agent is not notified. */
export async function rejectSoon(
  { id, digest, reason }: SeenItem & { readonly reason?: string | undefined },
  session: PersonSession & Pick<ReplySession, "held">,
): Promise<Outcome<{ readonly id: number; readonly status: "held" }, Failure>> {
  const found = await findItem(session.db.store.db, session.db.account, id);
  if (!found.ok) return found;
  if (found.value.digest !== digest) return contentChanged(id);
  if (found.value.status !== "pending") return alreadyDecided(found.value);
  session.held.hold(id, () =>
    approvalsOf({ ...session, signal: AbortSignal.timeout(APPROVE_MS) }).reject({ id, digest }, reason),
  );
  return ok({ id, status: "held" });
}
