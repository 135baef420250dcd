import type { Failure, JsonObject } from "@toolpact/contract";
import { MAX_REASON } from "@toolpact/contract/guards";
import { type Outcome, ok } from "@toolpact/outcome";
import { weighPost } from "@toolpact/x-api";
import * as z from "zod";
import type { QueuedMutation } from "../../approval/item.ts";
import { shownFiles } from "../../approval/shown-files.ts";
import { waitsForOthers } from "../../approval/vote.ts";
import { recentMutations } from "../../audit/mutations.ts";
import { undoableMutations } from "../../audit/undoable.ts";
import { LOOP_NAMES } from "../../autopilot/pass.ts";
import { switchLoop } from "../../autopilot/progress.ts";
import { draftView, revisionView } from "../../drafts/draft-view.ts";
import { findDraft, listDrafts, listRevisions } from "../../drafts/find-draft.ts";
import { errors } from "../../errors.ts";
import { resumeAll, stopAll, stopView } from "../../guards/stop/stop.ts";
import type { CommandName, Commands, PendingItem, Role } from "../../web/api.ts";
import { postLimit } from "../../x/toolkit/post-text.ts";
import { itemJson } from "../approve/approval-view.ts";
import { performanceFacts } from "../daily/performance.ts";
import { logEntries } from "../daily/show-log.ts";
import { spendingFacts } from "../daily/show-spending.ts";
import { statsFacts } from "../daily/show-stats.ts";
import { statusFacts } from "../daily/show-status.ts";
import { takeBack, undoableJson } from "../daily/undo-last.ts";
import { approvalsOf, type CommandSession } from "./command-session.ts";
import { dryRunLoops } from "./dry-run-loops.ts";
import { firstSteps } from "./first-steps.ts";
import { approveForNextSlot } from "./next-slot.ts";
import {
  approveMany,
  passkeyAdd,
  passkeyChallenge,
  passkeyNew,
  passkeyRemove,
  passkeys,
  signedApproval,
} from "./passkey-commands.ts";
import { rehearseOnce } from "./rehearse-once.ts";
import { runnerState } from "./runner-state.ts";
import { settleCall } from "./settle-call.ts";
import { testCall } from "./test-call.ts";

interface WebCommand<Name extends CommandName> {
  readonly role: Role | ((request: JsonObject) => Role);
  readonly input: z.ZodType<Commands[Name]["request"]>;
  readonly run: (
    input: Commands[Name]["request"],
    session: CommandSession,
  ) => Promise<Outcome<Commands[Name]["answer"], Failure>>;
}

const nothing = z.strictObject({});
const id = z.int().min(1);
/** Characters of an answer in the set-up. */
const MOST_ANSWER = 4_000;
const seen = { id, digest: z.string() };
const signature = z.strictObject({ ticket: z.string(), response: z.record(z.string(), z.json()) });
const days = z.int().min(1).max(365).optional();

/** More than anybody looks at before they sign. */
const MOST_SIGNED = 5_000;
/** Databases take a limited number of values in one query. */
const MOST_AT_ONCE = 500;

/** The commands of the page: the functions behind the commands of the terminal, and their JSON. */
export const webCommands: { readonly [Name in CommandName]: WebCommand<Name> } = {
  status: {
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await statusFacts(session)),
  },
  stats: {
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 30 }, session) => ok(await statsFacts(session, days)),
  },
  performance: {
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 30 }, session) => ok(await performanceFacts(session, days)),
  },
  spend: {
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 14 }, session) => ok(await spendingFacts(session, days)),
  },
  log: {
    role: "viewer",
    input: z.strictObject({
      limit: z.int().min(1).max(500).optional(),
      tool: z.string().optional(),
      status: z.enum(["pending", "success", "failure", "duplicate", "routed", "asked"]).optional(),
      client: z.string().optional(),
    }),
    async run({ limit = 20, ...filter }, { db }) {
      const { items: found } = await recentMutations(db.store.db, db.account, { limit, ...filter });
      return ok({ entries: await logEntries(db, found) });
    },
  },
  undo: {
    // Without an id it only lists.
    role: ({ id }) => (id === undefined ? "viewer" : "owner"),
    input: z.strictObject({ list: z.literal(true).optional(), id: z.string().optional() }),
    async run({ id }, session) {
      const { db, core, by, signal } = session;
      const undoable = () => undoableMutations(db.store.db, db.account);
      const found = await undoable();
      if (id === undefined) return ok({ undone: false, undoable: found.map(undoableJson) });
      const chosen = found.find(({ mutation }) => mutation.correlation_id === id);
      if (chosen === undefined)
        return errors.fail("not_found", `Nothing with the id ${id} can be taken back.`);
      const done = await takeBack(chosen, session, core, { by, transport: "web", signal });
      if (!done.ok) return done;
      return ok({ undone: true, undoable: (await undoable()).map(undoableJson) });
    },
  },
  config: {
    role: "viewer",
    input: nothing,
    run: async (_, { config }) => ok({ file: config.file ?? null, config: config.masked() }),
  },
  pending: {
    role: "viewer",
    input: nothing,
    async run(_, session) {
      const approvals = approvalsOf(session);
      const items = await approvals.waiting();
      return ok({ account: { ...approvals.me }, items: await pendingItems(session, items) });
    },
  },
  approve: {
    role: "approver",
    input: z.strictObject({ ...seen, signature: signature.optional() }),
    async run({ id, digest, signature }, session) {
      const passkey = await signedApproval("approve", [{ id, digest }], signature, session);
      if (!passkey.ok) return passkey;
      const released = await approvalsOf(session).approve({ id, digest }, passkey.value);
      if (!released.ok) return released;
      const status = waitsForOthers(released.value) ? "pending" : "approved";
      return ok({ id, status, result: released.value.result ?? null });
    },
  },
  approve_many: {
    role: "approver",
    input: z.strictObject({
      items: z.array(z.strictObject(seen)).min(1).max(MOST_SIGNED),
      signature: signature.optional(),
    }),
    run: approveMany,
  },
  passkeys: { role: "viewer", input: nothing, run: (_, session) => passkeys(session) },
  passkey_challenge: {
    role: "approver",
    input: z.strictObject({
      purpose: z.enum(["approve", "next_slot", "register", "remove"]),
      items: z.array(z.strictObject(seen)).max(MOST_SIGNED).optional(),
      id: z.string().optional(),
    }),
    run: passkeyChallenge,
  },
  passkey_new: { role: "approver", input: nothing, run: (_, session) => passkeyNew(session) },
  passkey_add: {
    role: "approver",
    input: signature.extend({ signature: signature.optional() }),
    run: passkeyAdd,
  },
  passkey_remove: {
    role: "approver",
    input: z.strictObject({ id: z.string(), signature: signature.optional() }),
    run: passkeyRemove,
  },
  reject: {
    role: "approver",
    input: z.strictObject({ id, digest: z.string(), reason: z.string().max(MAX_REASON).optional() }),
    async run({ id, digest, reason }, session) {
      const rejected = await approvalsOf(session).reject({ id, digest }, reason?.trim() || undefined);
      return rejected.ok ? ok({ id, status: "rejected" }) : rejected;
    },
  },
  edit: {
    role: "approver",
    input: z.strictObject({ id, digest: z.string(), args: z.record(z.string(), z.json()) }),
    async run({ id, digest, args }, session) {
      const approvals = approvalsOf(session);
      const found = await approvals.find(id);
      if (!found.ok) return found;
      const edited = await approvals.edit({ ...found.value, digest }, args);
      if (!edited.ok) return edited;
      const items = await pendingItems(session, [await approvals.withContext(edited.value)]);
      // One for each that was given.
      return ok(items[0] as PendingItem);
    },
  },
  next_slot: {
    role: "approver",
    input: z.strictObject({ ...seen, signature: signature.optional() }),
    run: approveForNextSlot,
  },
  settle: {
    role: "approver",
    input: z.strictObject({ id, is_out: z.boolean() }),
    async run({ id, is_out }, session) {
      const settled = await approvalsOf(session).settle(id, is_out);
      return settled.ok ? ok({ id, status: settled.value.status }) : settled;
    },
  },
  settle_call: {
    role: "approver",
    input: z.strictObject({
      id: z.string().max(100),
      is_out: z.boolean(),
      post_id: z
        .string()
        .regex(/^\d{1,19}$/)
        .optional(),
    }),
    run: settleCall,
  },
  drafts: {
    role: "viewer",
    input: z.strictObject({
      id: id.optional(),
      status: z.enum(["draft", "scheduled", "publishing", "queued", "published", "discarded"]).optional(),
    }),
    async run({ id, status }, { db, workflow }) {
      const book = { ...db, now: workflow.now };
      if (id === undefined) {
        const drafts = await listDrafts(book, { status, isExpanded: true, limit: MOST_DRAFTS });
        return ok({ drafts: drafts.items.map(draftView), revisions: [] });
      }
      const found = await findDraft(book, id);
      if (!found.ok) return found;
      const revisions = await listRevisions(book, id);
      return ok({ drafts: [draftView(found.value)], revisions: revisions.map(revisionView) });
    },
  },
  rehearse: {
    // It changes nothing, but keeps the server busy for a while.
    role: "approver",
    input: z.strictObject({ days: z.int().min(1).max(31).optional() }),
    run: ({ days = 7 }, session) => rehearseOnce(session, days),
  },
  setup: {
    // It writes the configuration and signs in to X.
    role: "owner",
    input: z.strictObject({
      do: z.enum(["begin", "stop"]).optional(),
      answer: z
        .strictObject({ question: id, value: z.union([z.string().max(MOST_ANSWER), z.boolean()]) })
        .optional(),
      after: z.int().min(0).optional(),
    }),
    async run({ do: what, answer, after }, { setup, signal }) {
      if (what === "begin") setup.begin();
      if (what === "stop") setup.stop();
      if (answer !== undefined) setup.answer(answer.question, answer.value);
      return ok(await setup.state(after, signal));
    },
  },
  first_steps: {
    // It names the file with the token.
    role: "owner",
    input: nothing,
    run: async (_, session) => ok(await firstSteps(session)),
  },
  runner: {
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await runnerState(session, session.signal)),
  },
  test_call: {
    role: "viewer",
    input: z.strictObject({ tool: z.string().max(100), args: z.record(z.string(), z.json()) }),
    run: testCall,
  },
  loop_switch: {
    role: "owner",
    input: z.strictObject({ name: z.enum(LOOP_NAMES), on: z.boolean() }),
    async run({ name, on }, session) {
      const { db, workflow, by } = session;
      await switchLoop(db, name, on ? undefined : { at: workflow.now(), by });
      return ok(await runnerState(session, session.signal));
    },
  },
  dry_run: { role: "viewer", input: nothing, run: (_, session) => dryRunLoops(session) },
  stop: {
    // Whoever may say yes may say no to everything.
    role: "approver",
    input: z.strictObject({ reason: z.string().max(MAX_REASON).optional() }),
    async run({ reason }, { db, workflow, by }) {
      const stop = await stopAll(db.store.db, db.account, {
        at: workflow.now(),
        by,
        reason: reason?.trim() || undefined,
      });
      return ok({ stop: stopView(stop) });
    },
  },
  resume: {
    role: "owner",
    input: nothing,
    run: async (_, { db }) => ok({ stop: null, resumed: await resumeAll(db.store.db, db.account) }),
  },
};

const MOST_DRAFTS = 500;

type Askers = ReadonlyMap<string, NonNullable<PendingItem["asked_by"]>>;

/** Who made the calls that wait, by the id of the call. */
async function askersOf({ db }: CommandSession, items: readonly QueuedMutation[]): Promise<Askers> {
  const askers: [string, NonNullable<PendingItem["asked_by"]>][] = [];
  for (let start = 0; start < items.length; start += MOST_AT_ONCE) {
    const ids = items.slice(start, start + MOST_AT_ONCE).map(({ correlationId }) => correlationId);
    const rows = await db.store.db
      .selectFrom("audit")
      .select(["correlation_id", "client", "transport"])
      .where("account", "=", db.account)
      .where("correlation_id", "in", ids)
      .execute();
    for (const { correlation_id, client, transport } of rows)
      askers.push([correlation_id, { client, transport }]);
  }
  return new Map(askers);
}

async function pendingItems(
  session: CommandSession,
  items: readonly QueuedMutation[],
): Promise<readonly PendingItem[]> {
  const { db, workflow } = session;
  const askers = await askersOf(session, items);
  const files = await shownFiles(db, items, workflow.mediaRoots);
  const limit = postLimit(workflow.access);
  return items.map((item) => ({
    ...itemJson(item),
    posts: textsOf(item).map((text) => ({ text, length: weighPost(text, limit).weighted_length, limit })),
    files: files.get(item.id) ?? [],
    asked_by: askers.get(item.correlationId) ?? null,
  }));
}

/** The texts that a call publishes, one for each post. */
function textsOf({ args }: QueuedMutation): readonly string[] {
  const { text, tweets } = args;
  if (typeof text === "string") return [text];
  return Array.isArray(tweets) ? tweets.filter((one) => typeof one === "string") : [];
}
