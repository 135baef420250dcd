import { setTimeout } from "node:timers/promises";
import type { Failure, JsonObject } from "@toolpact/contract";
import type { SimilarFor } from "@toolpact/contract/internal/guards";
import { microsOf } from "@toolpact/contract/internal/money";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { editItem } from "../approval/edit.ts";
import type { QueuedMutation } from "../approval/item.ts";
import { acceptRule, type StoredRule } from "../approval/learned-rules.ts";
import { findItem, pendingItems, showAgain } from "../approval/queue.ts";
import { rejectItem } from "../approval/reject.ts";
import { releaseItem } from "../approval/release.ts";
import { shownFiles } from "../approval/shown-files.ts";
import { settleRelease, unsettledReleases } from "../approval/unsettled-release.ts";
import { errors } from "../errors.ts";
import { ACCEPT_URL_PRICE, identityOf } from "../guards/receipts/receipt.ts";
import { orStorageFailure } from "../storage/storage-error.ts";
import type { Me } from "../x/x.ts";
import { similarRule } from "./learned-rules.ts";
import type { Services } from "./services.ts";
import type { Visitor } from "./sign-in/sessions.ts";

export interface Approvals {
  readonly me: Me;
  readonly now: () => number;
  readonly waiting: () => Promise<readonly QueuedMutation[]>;
  /** By the item's id. */
  readonly filesOf: (items: readonly QueuedMutation[]) => ReturnType<typeof shownFiles>;
  readonly find: (id: number) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Carries the item out. `seen` is the item as it was shown. */
  readonly approve: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    /** Set if a passkey has signed it. */
    passkey?: string,
  ) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Also accepts the narrowest rule for calls like it, for a day or a week. */
  readonly approveSimilar: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    period: SimilarFor,
    passkey?: string,
  ) => Promise<Outcome<QueuedMutation & { readonly rule: StoredRule }, Failure>>;
  /** Closes an item that got no answer, by the person's finding. */
  readonly settle: (id: number, isOut: boolean) => Promise<Outcome<QueuedMutation, Failure>>;
  /** The agent sees `reason` verbatim. */
  readonly reject: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    reason: string | undefined,
    /** The scheduled draft that replaces it, if approved for later. */
    draftId?: number,
  ) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Resolves once the item is decided or edited by anyone; undefined when the signal fires. */
  readonly untilChanged: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    signal: AbortSignal,
  ) => Promise<QueuedMutation | undefined>;
  /** With what X shows of its subject, if unknown so far. */
  readonly withContext: (item: QueuedMutation) => Promise<QueuedMutation>;
  /** Rejects arguments that X is known to reject. */
  readonly edit: (seen: QueuedMutation, args: JsonObject) => Promise<Outcome<QueuedMutation, Failure>>;
}

/** A person does not wait longer for X. */
const CONTEXT_MS = 5_000;

const ABOUT_A_POST: ReadonlySet<string> = new Set(["x_reply_to_tweet", "x_quote_tweet"]);

/** An open question looks for others' decisions this often. */
const LOOK_MS = 400;

/** At a terminal, the dashboard or a messenger. */
interface Decider {
  /** As in approvals and the audit. */
  readonly by: string;
  /** Looked up before each decision. */
  readonly mayDecide: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export function approvalsFor(
  { db, approvals, workflow }: Pick<Services, "db" | "approvals" | "workflow">,
  { by, mayDecide, signal }: Decider,
): Approvals {
  const { store, account, names = { username: account, name: account } } = db;
  async function withContext(item: QueuedMutation): Promise<QueuedMutation> {
    // A scheduled post is in the person's own words.
    const isOwn = item.schedule !== undefined && !ABOUT_A_POST.has(item.tool);
    if (item.context?.unknown.length === 0 || isOwn) return item;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(CONTEXT_MS)]);
    const context = await workflow.readContext(item.tool, item.args, soon);
    if (context === undefined) return item;
    // Others are signed with the context of their decision.
    if (item.status !== "pending") return { ...item, context };
    const shown = await showAgain(store, account, approvals.key, item.id, { context });
    return shown.ok ? shown.value : item;
  }
  const approve: Approvals["approve"] = async ({ id, digest }, passkey) => {
    // Without X, an item stays as it is.
    const signedIn = await workflow.checkSignIn(signal);
    if (!signedIn.ok) return signedIn;
    return (await mayDecide()) ? releaseItem(approvals, id, { digest, by, passkey }) : mayNotDecide();
  };
  return {
    me: { id: account, ...names },
    now: workflow.now,
    async waiting() {
      const open = await unsettledReleases(store.db, account);
      return [...open, ...(await pendingItems(store.db, account, workflow.now()))];
    },
    filesOf: (items) => shownFiles(db, items, workflow.mediaRoots),
    async settle(id, isOut) {
      if (!(await mayDecide())) return mayNotDecide();
      return settleRelease(store, account, id, { isOut, by, now: workflow.now() });
    },
    find: (id) => findItem(store.db, account, id),
    approve,
    async approveSimilar(seen, period, passkey) {
      const rule = await similarRule(db, seen.id, period, workflow.now());
      if (!rule.ok) return rule;
      const approved = await approve(seen, passkey);
      if (!approved.ok) return approved;
      const evidence = [seen.id];
      const accepted = await acceptRule(db, approvals.key, rule.value, {
        evidence,
        by: approved.value.decidedBy ?? by,
      });
      return ok({ ...approved.value, rule: accepted });
    },
    async reject({ id, digest }, note, draftId) {
      if (!(await mayDecide())) return mayNotDecide();
      return rejectItem(store.db, account, id, { digest, by, note, draftId, now: workflow.now() });
    },
    async untilChanged({ id, digest }, until) {
      while (!until.aborted) {
        await setTimeout(LOOK_MS, undefined, { signal: until }).catch(() => {});
        const found = until.aborted
          ? undefined
          : await orStorageFailure(() => findItem(store.db, account, id));
        if (found?.ok && (found.value.status !== "pending" || found.value.digest !== digest))
          return found.value;
      }
      return undefined;
    },
    withContext,
    async edit(seen, wanted) {
      const { id, tool, digest } = seen;
      const priced = await workflow.preview(tool, wanted, signal);
      if (!priced.ok) return priced;
      const { input, refusal, budget, decision, estimatedUsd } = priced.value;
      if (refusal !== undefined) return failed(refusal);
      // Parsed as for the call itself. The approver sees the price first.
      const args = budget?.reason === "url_price" ? { ...input, [ACCEPT_URL_PRICE]: true } : input;
      const media = await approvals.mediaOf({ ...seen, args });
      if (!media.ok) return media;
      if (!(await mayDecide())) return mayNotDecide();
      const edited = await editItem(store, approvals.key, {
        account,
        id,
        digest,
        args,
        media: media.value,
        claim: identityOf(account, tool, args).claim,
        estimatedMicros: microsOf(estimatedUsd),
        peopleNeeded: decision.kind === "require_approval" ? decision.peopleNeeded : undefined,
        editor: by,
        now: workflow.now(),
      });
      return edited.ok ? ok(await withContext(edited.value)) : edited;
    },
  };
}

function mayNotDecide(): Outcome<never, Failure> {
  return errors.fail("policy_denied_hard_rule", "This person may no longer decide. Nothing was done.", {
    reason: "needs_person",
    policyDecision: "denied",
    fixBy: "human",
  });
}

export interface PersonSession extends Pick<Services, "db" | "workflow" | "config" | "approvals">, Decider {
  readonly visitor: Visitor & {
    readonly origin: string;
    readonly now: number;
  };
}

export function approvalsOf(session: PersonSession): Approvals {
  return approvalsFor(session, session);
}
