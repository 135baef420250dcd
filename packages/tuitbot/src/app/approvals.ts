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

/** One user's decisions about waiting items. */
export interface Approvals {
  readonly me: Me;
  readonly now: () => number;
  readonly waiting: () => Promise<readonly QueuedMutation[]>;
  /** The files that items publish, by the id of the item. */
  readonly filesOf: (items: readonly QueuedMutation[]) => ReturnType<typeof shownFiles>;
  readonly find: (id: number) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Carries the item out at once. `seen` is the item as the person saw it. */
  readonly approve: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    /** The passkey that has signed it, where one has. */
    passkey?: string,
  ) => Promise<Outcome<QueuedMutation, Failure>>;
  /** The same, and accepts the narrowest rule that lets calls like it through for a day or a week. */
  readonly approveSimilar: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    period: SimilarFor,
    passkey?: string,
  ) => Promise<Outcome<QueuedMutation & { readonly rule: StoredRule }, Failure>>;
  /** Closes an item that was sent without an answer, by what the person found on X. */
  readonly settle: (id: number, isOut: boolean) => Promise<Outcome<QueuedMutation, Failure>>;
  /** `reason` is shown to the agent verbatim. */
  readonly reject: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    reason: string | undefined,
    /** The scheduled draft that takes its place, if its text was approved for later. */
    draftId?: number,
  ) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Resolves with the item once it is decided or edited, by whomever, or with undefined when the signal fires. */
  readonly untilChanged: (
    seen: Pick<QueuedMutation, "id" | "digest">,
    signal: AbortSignal,
  ) => Promise<QueuedMutation | undefined>;
  /** The item with what it is about, read from X where that is not known yet. */
  readonly withContext: (item: QueuedMutation) => Promise<QueuedMutation>;
  /** Replaces the arguments, unless X is known to refuse the new ones. */
  readonly edit: (seen: QueuedMutation, args: JsonObject) => Promise<Outcome<QueuedMutation, Failure>>;
}

/** A person who decides does not wait longer for what X shows of an item. */
const CONTEXT_MS = 5_000;

const ABOUT_A_POST: ReadonlySet<string> = new Set(["x_reply_to_tweet", "x_quote_tweet"]);

/** So often an open question is compared with what others have decided. */
const LOOK_MS = 400;

/** Somebody who decides, at any surface: terminal, dashboard or messenger. */
interface Decider {
  /** The person, as approvals and the audit name them. */
  readonly by: string;
  /** Whether they still may: looked up before each decision, since the calls before it take time. */
  readonly mayDecide: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Returns the decisions that a person can make. */
export function approvalsFor(
  { db, approvals, workflow }: Pick<Services, "db" | "approvals" | "workflow">,
  { by, mayDecide, signal }: Decider,
): Approvals {
  const { store, account, names = { username: account, name: account } } = db;
  async function withContext(item: QueuedMutation): Promise<QueuedMutation> {
    // A scheduled post is in the person's own words, and about nothing else.
    const isOwn = item.schedule !== undefined && !ABOUT_A_POST.has(item.tool);
    if (item.context?.unknown.length === 0 || isOwn) return item;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(CONTEXT_MS)]);
    const context = await workflow.readContext(item.tool, item.args, soon);
    if (context === undefined) return item;
    // Others are signed as they were decided about.
    if (item.status !== "pending") return { ...item, context };
    const shown = await showAgain(store, account, approvals.key, item.id, { context });
    return shown.ok ? shown.value : item;
  }
  const approve: Approvals["approve"] = async ({ id, digest }, passkey) => {
    // An item stays as it is while X cannot be used.
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
      // The arguments as the call itself will parse them. The approver sees the price before they approve.
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

/** A person who uses an account in a browser. */
export interface PersonSession extends Pick<Services, "db" | "workflow" | "config" | "approvals">, Decider {
  readonly visitor: Visitor & {
    /** The dashboard's origin as seen by the browser. */
    readonly origin: string;
    /** By the clock of this machine. */
    readonly now: number;
  };
}

/** The decisions that the person can make. */
export function approvalsOf(session: PersonSession): Approvals {
  return approvalsFor(session, session);
}
