import type { Failure, JsonObject } from "@toolpact/contract";
import type { CommandFailure } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import { editItem } from "../approval/edit.ts";
import type { ApprovalItem } from "../approval/item.ts";
import { openReleases, settleRelease } from "../approval/open-release.ts";
import { findItem, pendingItems, rejectItem } from "../approval/queue.ts";
import { releaseItem } from "../approval/release.ts";
import { microsOf } from "../budget/money.ts";
import { catalogFor } from "../catalog.ts";
import { errors } from "../errors.ts";
import { storageFailure } from "../guards/storage-failure.ts";
import type { Services } from "../product.ts";
import { ACCEPT_URL_PRICE, identityOf, ownCalls } from "../receipts/call-identity.ts";
import type { Me } from "../services/x.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Context } from "./context.ts";
import { openServer } from "./open-server.ts";

/** What a person at the terminal can do about what waits. */
export interface ApprovalDesk {
  readonly me: Me;
  readonly now: () => number;
  readonly waiting: () => Promise<readonly ApprovalItem[]>;
  readonly find: (id: number) => Promise<Outcome<ApprovalItem, Failure>>;
  /** Carries it out at once; `seen` is what the person was shown. */
  readonly approve: (seen: ApprovalItem) => Promise<Outcome<ApprovalItem, Failure>>;
  /** Ends what was sent without an answer, by what the person has found at X. */
  readonly settle: (id: number, isOut: boolean) => Promise<Outcome<ApprovalItem, Failure>>;
  readonly reject: (id: number) => Promise<Outcome<ApprovalItem, Failure>>;
  /** Puts other arguments in its place, unless X is known to refuse them. */
  readonly edit: (seen: ApprovalItem, args: JsonObject) => Promise<Outcome<ApprovalItem, Failure>>;
  readonly close: () => Promise<void>;
}

const BY = "terminal";

export async function openDesk(context: Context): Promise<Outcome<ApprovalDesk, CommandFailure>> {
  // Whatever profile the agent has, its calls can be carried out here.
  const opened = await openServer({ ...NO_NARROWING, profile: "admin" }, context);
  if (!opened.ok) return opened;
  const { core, close } = opened.value;
  const resolved = await (await core()).services.resolve(NEEDS, context.signal);
  if (!resolved.ok) {
    await close();
    return failed(commandFailure(resolved.failure));
  }
  // Exactly the services that were named.
  const { x, db, approvals, workflow } = resolved.value as Pick<Services, (typeof NEEDS)[number]>;
  const me = await x.me(context.signal);
  if (!me.ok) {
    await close();
    return failed({ message: me.failure.message, fix: "Run `tuitbot doctor`." });
  }
  const { store, account } = db;
  await workflow.settle(context.signal);
  return ok({
    me: me.value,
    now: workflow.now,
    async waiting() {
      const open = await openReleases(store.db, account);
      return [...open, ...(await pendingItems(store.db, account, workflow.now()))];
    },
    settle: (id, isOut) => settleRelease(store, account, id, { isOut, by: BY, now: workflow.now() }),
    find: (id) => findItem(store.db, account, id),
    approve: ({ id, digest }) => releaseItem(approvals, id, { digest, by: BY }),
    reject: (id) => rejectItem(store.db, account, id, { by: BY, now: workflow.now() }),
    close,
    edit: (seen, wanted) =>
      ownCalls.run(true, async () => {
        const { id, tool, digest } = seen;
        // As the call itself will have them: an address becomes an id, what is left out its default.
        const parsed =
          catalogFor("admin").get(tool)?.parse(wanted) ?? failed(`There is no tool ${tool} any more.`);
        if (!parsed.ok) return errors.fail("invalid_input", parsed.failure);
        const { input } = parsed.value;
        const priced = await workflow.plan(tool, input, context.signal);
        if (!priced.ok) return priced;
        const { refusal, budget, estimatedUsd } = priced.value;
        if (refusal !== undefined) return failed(refusal);
        // The person sees the price before they approve.
        const args = budget?.reason === "url_price" ? { ...input, [ACCEPT_URL_PRICE]: true } : input;
        const media = await approvals.mediaOf({ ...seen, args });
        if (!media.ok) return media;
        return editItem(store, approvals.key, {
          account,
          id,
          digest,
          args,
          media: media.value,
          claim: identityOf(account, tool, args).claim,
          estimatedMicros: microsOf(estimatedUsd),
          editor: BY,
          now: workflow.now(),
        });
      }),
  });
}

const NEEDS = ["x", "db", "approvals", "workflow"] as const;

const NO_NARROWING = {
  toolsets: undefined,
  tools: undefined,
  "exclude-tools": undefined,
  sandbox: false,
  "sandbox-plan": undefined,
} as const;

export function commandFailure({ message, suggestedFix }: Failure): CommandFailure {
  return { message, ...(suggestedFix !== undefined && { fix: suggestedFix }) };
}

/** Anything else that is thrown is a defect and goes on. */
export function databaseTrouble(error: unknown): Outcome<never, CommandFailure> {
  if (!(error instanceof StorageError)) throw error;
  return failed(commandFailure(storageFailure(error).failure));
}
