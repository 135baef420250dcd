import type { Failure, JsonObject } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import { MAX_REASON } from "@toolpact/contract/internal/guards";
import { type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import { MAX_OWN_POSTS, recordOwnPosts } from "../analytics/elsewhere.ts";
import { approvalsOf, type PersonSession } from "../app/approvals.ts";
import { commentOnDraft, draftsFor, saveDraft } from "../app/drafts.ts";
import { firstSteps } from "../app/first-steps.ts";
import { ACCEPTED_BOUNDS, rulesReport, turnOffRule } from "../app/learned-rules.ts";
import { mediaLibrary, snippets } from "../app/library.ts";
import { logJson, MAX_LOG_ENTRIES, recentCalls } from "../app/log.ts";
import { mentions, setMention } from "../app/mentions.ts";
import { readMessages } from "../app/messages.ts";
import { approveForNextSlot } from "../app/next-slot.ts";
import {
  acceptSigned,
  approveMany,
  approveOne,
  approveSimilar,
  decideSigned,
  passkeyAdd,
  passkeyChallenge,
  passkeyNew,
  passkeyRemove,
  passkeys,
  permitSigned,
  type SeenItem,
} from "../app/passkey-approval.ts";
import { pendingItems } from "../app/pending-items.ts";
import { performanceReport } from "../app/performance.ts";
import { resolveCall } from "../app/resolve-call.ts";
import { askAgain, bringBack, checkPost, sendDraft, takeBack } from "../app/send-draft.ts";
import { type HeldDecisions, rejectSoon, sendMessage, sendReply, takeBackReply } from "../app/send-reply.ts";
import type { Services } from "../app/services.ts";
import { settings, writeSettings } from "../app/settings.ts";
import { agentsView, type ClientSignIn, clientRequest, endAgent } from "../app/sign-in/clients.ts";
import type { Signature, Subject } from "../app/sign-in/passkeys.ts";
import type { Role } from "../app/sign-in/roles.ts";
import type { ListedSession, WebSession } from "../app/sign-in/sessions.ts";
import { forecast, spendingReport } from "../app/spending.ts";
import { statsReport } from "../app/stats.ts";
import { accountStatus } from "../app/status.ts";
import { testCall } from "../app/test-call.ts";
import { undo, undoableJson } from "../app/undo.ts";
import { keepText, unsavedTexts } from "../app/unsaved-texts.ts";
import { callResultFrom } from "../approval/release.ts";
import { MUTATION_STATUSES } from "../audit/statuses.ts";
import { undoableMutations } from "../audit/undoable.ts";
import { readMentions } from "../autopilot/mentions.ts";
import { LOOP_NAMES } from "../autopilot/pass.ts";
import { switchLoop } from "../autopilot/progress.ts";
import { runnerState } from "../autopilot/runner-state.ts";
import { dryRun } from "../autopilot/tick.ts";
import type { Config } from "../config/schema.ts";
import { mediaShape } from "../drafts/draft-media.ts";
import { optionsShape } from "../drafts/draft-options.ts";
import { errors } from "../errors.ts";
import { resumeAll, stopAll, stopView } from "../guards/stop/stop.ts";
import { profiles } from "../profiles.ts";
import type { Core } from "../server/core.ts";
import { MAX_POST } from "../x/text-limits.ts";
import type { RehearseOnce } from "./rehearse-once.ts";
import type { SetupConversation } from "./setup-conversation.ts";

/** Everything that a command of the dashboard works with. */
export interface CommandSession extends PersonSession {
  readonly core: Core;
  readonly visitor: PersonSession["visitor"] & Pick<WebSession, "method">;
  /** The sessions that the visitor may see: their own, or for owners all. */
  readonly sessions: () => Promise<readonly ListedSession[]>;
  /** Ends one of these. False if it is none. */
  readonly endSession: (id: string) => Promise<boolean>;
  /** The sign-in of clients in this browser. */
  readonly clients: ClientSignIn | undefined;
  readonly held: HeldDecisions;
  readonly setup: SetupConversation;
  readonly rehearse: RehearseOnce;
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  /** How to connect an agent, for a browser at this origin: a line for a shell. */
  readonly firstLines: (origin: string) => { readonly connect: string };
}

const nothing = z.strictObject({});
const id = z.int().min(1);
const browser = z.string().min(1).max(100);
const days = z.int().min(1).max(365).optional();
const jsonObject: z.ZodType<JsonObject, JsonObject> = z.record(z.string(), z.json());
const seen = { id, digest: z.string() };
const content = {
  texts: z.array(z.string().max(MAX_POST)).min(1).max(100),
  media: z.array(mediaShape),
  options: optionsShape.optional(),
};
const clientId = z.string().max(200);
const permissions = {
  profile: z.enum(profiles),
  calls_per_day: z.int().min(1).max(100_000),
  usd_per_day: z.number().min(0).max(1_000_000),
};
const allowedClient = {
  request: clientId,
  agent: z.string().max(100).nullable().default(null),
  accounts: z.array(z.string().max(100)).min(1).max(100),
  ...permissions,
};
const permittedAgent = { name: z.string().max(100), ...permissions };
const signed = { ...seen, signature: z.lazy(() => signature.optional()) };
const signature: z.ZodType<Signature, Signature> = z.strictObject({
  ticket: z.string(),
  response: jsonObject,
});
const PURPOSES = [
  ...(["approve", "similar_day", "similar_week", "next_slot"] as const),
  ...(["rule", "connect", "permit", "register", "remove"] as const),
] as const satisfies readonly Subject["purpose"][];
/** At most so many as anybody looks at before they sign. */
const seenItems: z.ZodType<readonly SeenItem[], readonly SeenItem[]> = z
  .array(z.strictObject(seen))
  .max(5_000);

/**
 * The commands of the dashboard: `POST /api/commands/NAME` with `input` answers with the value of `run`. The types of
 * requests and answers are inferred from here (`Commands`).
 */
export const webCommands = {
  status: command({
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await accountStatus(session)),
  }),
  stats: command({
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 30 }, session) => ok(await statsReport(session, days)),
  }),
  performance: command({
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 30 }, session) => ok(await performanceReport(session, days)),
  }),
  spend: command({
    role: "viewer",
    input: z.strictObject({ days }),
    run: async ({ days = 14 }, session) => ok(await spendingReport(session, days)),
  }),
  log: command({
    role: "viewer",
    input: z.strictObject({
      limit: z.int().min(1).max(MAX_LOG_ENTRIES).optional(),
      tool: z.string().optional(),
      status: z.enum(MUTATION_STATUSES).optional(),
      client: z.string().optional(),
      rule: z.string().max(100).optional(),
    }),
    run: async ({ limit = 20, ...filter }, { db }) =>
      ok({ entries: (await recentCalls(db, { limit, ...filter })).map(logJson) }),
  }),
  /** Without `id`, lists what can be undone, the newest first; with it, undoes that call. */
  undo: command({
    role: ({ id }) => (id === undefined ? "viewer" : "owner"),
    input: z.strictObject({ list: z.literal(true).optional(), id: z.string().optional() }),
    async run({ id }, { db, approvals, by, core, signal }) {
      const undoable = () => undoableMutations(db.store.db, db.account);
      const found = await undoable();
      const chosen = found.find(({ mutation }) => mutation.correlation_id === id);
      if (id === undefined) return ok({ undone: false, undoable: found.map(undoableJson) });
      if (chosen === undefined)
        return errors.fail("not_found", `Nothing with the id ${id} can be taken back.`);
      const caller = { transport: "web", client: "undo" } as const;
      const done = await undo(chosen, {
        ...{ db, approvals, by },
        call: async (tool, args) => callResultFrom(await core.pipeline.call({ tool, args, caller, signal })),
      });
      return done.ok ? ok({ undone: true, undoable: (await undoable()).map(undoableJson) }) : done;
    },
  }),
  /** The effective settings, with secrets masked. */
  config: command({
    role: "viewer",
    input: nothing,
    // Masking replaces the text of secrets and keeps the shape.
    run: async (_, { config }) => ok({ file: config.file ?? null, config: config.masked() as MaskedConfig }),
  }),
  /** The settings that can be changed here, and their values in the file. */
  settings: command({ role: "viewer", input: nothing, run: (_, session) => settings(session) }),
  settings_write: command({
    role: "owner",
    input: z.strictObject({ values: jsonObject }),
    run: writeSettings,
  }),
  /** Replies, mentions and quotes, with what became of them. */
  mentions: command({ role: "viewer", input: nothing, run: (_, session) => mentions(session) }),
  mention_set: command({
    role: "approver",
    input: z.strictObject({
      id: z.string().max(30),
      state: z.enum(["open", "done", "snoozed"]).optional(),
      until: z.string().max(40).optional(),
      assigned_to: z.string().max(200).nullable().optional(),
    }),
    run: setMention,
  }),
  /** Reads new mentions from X, which costs money. */
  mentions_read: command({
    role: "owner",
    input: nothing,
    async run(_, session) {
      const { core, db, workflow, config, signal } = session;
      const resolved = await core.services.resolve(["x"], {}, signal);
      if (!resolved.ok) return resolved;
      // Exactly the service that was named.
      const { x } = resolved.value as Pick<Services, "x">;
      const read = await readMentions({
        ...db,
        x,
        workflow,
        config: config.values,
        now: workflow.now,
        signal,
      });
      return read.ok ? ok({ read: read.value, ...(await mentions(session)).value }) : read;
    },
  }),
  /** Reads the account's newest posts from X, which costs money, and records those that were made elsewhere. */
  posts_read: command({
    role: "owner",
    input: nothing,
    async run(_, { core, db, workflow, config, signal }) {
      const resolved = await core.services.resolve(["x"], {}, signal);
      if (!resolved.ok) return resolved;
      // Exactly the service that was named.
      const { client } = (resolved.value as Pick<Services, "x">).x;
      const context = { ...db, client, workflow, config: config.values, now: workflow.now(), signal };
      const found = await recordOwnPosts(context, MAX_OWN_POSTS);
      return found.ok ? ok({ found: found.value }) : found;
    },
  }),
  /** The items that wait, the oldest first, without those whose decision can still be taken back. */
  pending: command({
    role: "viewer",
    input: nothing,
    async run(_, session) {
      const { me, waiting } = approvalsOf(session);
      const items = (await waiting()).filter(({ id }) => !session.held.has(id));
      return ok({ account: { ...me }, items: await pendingItems(session, items) });
    },
  }),
  approve: command({ role: "approver", input: z.strictObject(signed), run: approveOne }),
  /** Approves an item, and lets calls like it through for a day or a week. */
  approve_similar: command({
    role: "approver",
    input: z.strictObject({ ...signed, period: z.enum(["day", "week"]) }),
    run: approveSimilar,
  }),
  /** Learned rules, and those that the stored decisions propose. */
  rules: command({
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await rulesReport(session)),
  }),
  rule_accept: command({
    role: "owner",
    input: z.strictObject({
      id: z.string().max(64),
      days: z.int().min(1).max(ACCEPTED_BOUNDS.days).optional(),
      per_day: z.int().min(1).max(ACCEPTED_BOUNDS.perDay).optional(),
      budget_usd: z.number().min(0).max(ACCEPTED_BOUNDS.budgetUsd).optional(),
      rehearsal_days: z.int().min(0).max(ACCEPTED_BOUNDS.rehearsalDays).optional(),
      signature: z.lazy(() => signature.optional()),
    }),
    run: acceptSigned,
  }),
  rule_off: command({
    role: "approver",
    input: z.strictObject({ id }),
    run: ({ id }, session) => turnOffRule(session, id, session.by),
  }),
  approve_many: command({
    role: "approver",
    input: z.strictObject({ items: seenItems, signature: signature.optional() }),
    run: approveMany,
  }),
  /** The browsers that are signed in: one's own, or for owners everybody's. */
  sessions: command({
    role: "viewer",
    input: nothing,
    run: async (_, { sessions }) => ok({ sessions: await sessions() }),
  }),
  session_end: command({
    role: "viewer",
    input: z.strictObject({ id: z.string().max(100) }),
    run: async ({ id }, { endSession, sessions }) =>
      (await endSession(id))
        ? ok({ sessions: await sessions() })
        : errors.fail("not_found", "There is no such session, or only an owner may end it."),
  }),
  /** Texts that the visitor has typed in other browsers and not saved. */
  texts: command({ role: "approver", input: z.strictObject({ browser }), run: unsavedTexts }),
  /** Keeps a text that was typed; without `value`, forgets it. */
  text_keep: command({
    role: "approver",
    input: z.strictObject({ browser, key: z.string().max(500), value: jsonObject.optional() }),
    run: keepText,
  }),
  /** The client that waits for the visitor's consent. */
  client_request: command({
    role: "owner",
    input: z.strictObject({ request: clientId }),
    run: ({ request }, session) => clientRequest(clientSession(session), request),
  }),
  client_decide: command({
    role: "owner",
    input: z.discriminatedUnion("approve", [
      z.strictObject({ approve: z.literal(false), request: clientId }),
      z.strictObject({
        approve: z.literal(true),
        ...allowedClient,
        signature: z.lazy(() => signature.optional()),
      }),
    ]),
    run: (choice, session) => decideSigned(choice, session, clientSession(session)),
  }),
  agents: command({
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await agentsView(clientSession(session))),
  }),
  agent_permit: command({
    role: "owner",
    input: z.strictObject({ ...permittedAgent, signature: z.lazy(() => signature.optional()) }),
    run: (change, session) => permitSigned(change, session, clientSession(session)),
  }),
  agent_revoke: command({
    role: "owner",
    input: z.strictObject({ name: z.string().max(100) }),
    run: ({ name }, session) => endAgent(clientSession(session), name),
  }),
  passkeys: command({ role: "viewer", input: nothing, run: (_, session) => passkeys(session) }),
  passkey_challenge: command({
    role: "approver",
    input: z.strictObject({
      purpose: z.enum(PURPOSES),
      items: seenItems.optional(),
      id: z.string().optional(),
      client: z.strictObject(allowedClient).optional(),
      agent: z.strictObject(permittedAgent).optional(),
    }),
    run: passkeyChallenge,
  }),
  passkey_new: command({ role: "approver", input: nothing, run: (_, session) => passkeyNew(session) }),
  passkey_add: command({
    role: "approver",
    input: z.strictObject({ ticket: z.string(), response: jsonObject, signature: signature.optional() }),
    run: passkeyAdd,
  }),
  passkey_remove: command({
    role: "approver",
    input: z.strictObject({ id: z.string(), signature: signature.optional() }),
    run: passkeyRemove,
  }),
  reject: command({
    role: "approver",
    input: z.strictObject({ ...seen, reason: z.string().max(MAX_REASON).optional() }),
    async run({ id, digest, reason }, session) {
      const rejected = await approvalsOf(session).reject({ id, digest }, reason?.trim() || undefined);
      return rejected.ok ? ok({ id, status: "rejected" }) : rejected;
    },
  }),
  /** Rejects in ten seconds. */
  reject_soon: command({
    role: "approver",
    input: z.strictObject({ ...seen, reason: z.string().max(MAX_REASON).optional() }),
    run: ({ reason, ...item }, session) =>
      rejectSoon({ ...item, reason: reason?.trim() || undefined }, session),
  }),
  take_back_rejection: command({
    role: "approver",
    input: z.strictObject({ id }),
    run: async ({ id }, { held }) => ok({ taken_back: held.cancel(id) }),
  }),
  /** Replaces the arguments of a waiting item, which changes its digest. */
  edit: command({
    role: "approver",
    input: z.strictObject({ ...seen, args: jsonObject }),
    async run({ id, digest, args }, session) {
      const { find, edit } = approvalsOf(session);
      const found = await find(id);
      if (!found.ok) return found;
      const edited = await edit({ ...found.value, digest }, args);
      if (!edited.ok) return edited;
      const [item] = await pendingItems(session, [edited.value]);
      return item === undefined ? errors.fail("not_found", `There is no item ${id}.`) : ok(item);
    },
  }),
  next_slot: command({ role: "approver", input: z.strictObject(signed), run: approveForNextSlot }),
  /** Closes an item that was sent and that X did not answer, by what the person found there. */
  settle: command({
    role: "approver",
    input: z.strictObject({ id, is_out: z.boolean() }),
    async run({ id, is_out }, session) {
      const settled = await approvalsOf(session).settle(id, is_out);
      return settled.ok ? ok({ id, status: settled.value.status }) : settled;
    },
  }),
  settle_call: command({
    role: "approver",
    input: z.strictObject({
      id: z.string().max(100),
      is_out: z.boolean(),
      post_id: z
        .string()
        .regex(/^\d{1,19}$/)
        .optional(),
    }),
    run: resolveCall,
  }),
  drafts: command({
    role: "viewer",
    input: z.strictObject({
      id: id.optional(),
      status: z.enum(["draft", "scheduled", "publishing", "queued", "published", "discarded"]).optional(),
    }),
    run: draftsFor,
  }),
  /** Evaluates a post or thread as `send_draft` does. Sends and counts nothing. */
  check_post: command({
    role: "viewer",
    input: z.strictObject(content),
    run: checkPost,
  }),
  draft_save: command({
    role: "owner",
    input: z.strictObject({ ...content, id: id.optional(), revision: z.int().min(1).optional() }),
    run: saveDraft,
  }),
  draft_comment: command({
    role: "approver",
    input: z.strictObject({
      id,
      text: z.string().trim().min(1).max(MAX_POST).optional(),
      remove: id.optional(),
    }),
    run: commentOnDraft,
  }),
  /** Brings a discarded draft back. */
  draft_restore: command({
    role: "owner",
    input: z.strictObject({
      id,
      scheduled_for: z.string().max(100).optional(),
      approve: z.boolean().optional(),
    }),
    run: bringBack,
  }),
  /** Takes the approval of a scheduled draft back. */
  draft_ask_again: command({ role: "owner", input: z.strictObject({ id }), run: askAgain }),
  /** Lists snippets, after one was stored or removed. */
  snippets: command({
    role: ({ text, remove }) => (text === undefined && remove === undefined ? "viewer" : "owner"),
    input: z.strictObject({
      text: z.string().trim().min(1).max(MAX_POST).optional(),
      remove: id.optional(),
    }),
    run: snippets,
  }),
  media_library: command({ role: "viewer", input: nothing, run: mediaLibrary }),
  /** Publishes a draft, in ten seconds or at a time. The visitor's act is the approval of it. */
  send_draft: command({
    role: "owner",
    input: z.strictObject({
      id,
      revision: z.int().min(1),
      price_usd: z.number().optional(),
      scheduled_for: z.string().max(100).optional(),
      next_slot: z.boolean().optional(),
    }),
    run: sendDraft,
  }),
  /** Replies to a post, in ten seconds. The visitor's act is the approval of it. */
  send_reply: command({
    role: "owner",
    input: z.strictObject({ post_id: z.string().regex(/^\d{1,19}$/), text: z.string().max(MAX_POST) }),
    run: (request, session) => sendReply(request, withCalls(session)),
  }),
  /** Reads direct messages from X, which costs money. */
  messages_read: command({
    role: "owner",
    input: nothing,
    run: (request, session) => readMessages(request, withCalls(session)),
  }),
  /** Writes into a conversation, in ten seconds. The visitor's act is the approval of it. */
  send_message: command({
    role: "owner",
    input: z.strictObject({
      conversation_id: z.string().min(1).max(100),
      text: z.string().min(1).max(10_000),
    }),
    run: (request, session) => sendMessage(request, withCalls(session)),
  }),
  take_back_reply: command({
    role: "owner",
    input: z.strictObject(seen),
    run: (item, session) => takeBackReply(item, withCalls(session)),
  }),
  /** Takes a draft off the schedule unless it is being published. */
  take_back: command({ role: "owner", input: z.strictObject({ id }), run: takeBack }),
  /** Simulates the loops for some days on a copy of the account. It changes nothing, but keeps the server busy. */
  rehearse: command({
    role: "approver",
    input: z.strictObject({ days: z.int().min(1).max(31).optional() }),
    async run({ days = 7 }, session) {
      const until = session.workflow.now() + days * DAY_MS;
      const rehearsed = await session.rehearse(session, days);
      // Next to the simulated cost, what Spend expects of the same days.
      return rehearsed.ok ? ok({ ...rehearsed.value, forecast: await forecast(session, until) }) : rehearsed;
    },
  }),
  /**
   * Starts or stops the guided set-up, or answers its question. It writes the configuration and signs in to X. The
   * response comes when the state is newer than the version `after`, if that is given.
   */
  setup: command({
    role: "owner",
    input: z.strictObject({
      do: z.enum(["begin", "stop"]).optional(),
      answer: z
        .strictObject({ question: id, value: z.union([z.string().max(4_000), z.boolean()]) })
        .optional(),
      after: z.int().min(0).optional(),
    }),
    async run({ do: what, answer, after }, { setup, signal }) {
      if (what === "begin") setup.begin();
      if (what === "stop") setup.stop();
      if (answer !== undefined) setup.answer(answer.question, answer.value);
      return ok(await setup.state(after, signal));
    },
  }),
  /** The command to connect an agent contains the path of the token file, so it is for owners. */
  first_steps: command({
    role: "owner",
    input: nothing,
    run: async (_, { db, visitor, firstLines }) =>
      ok({ ...firstLines(visitor.origin), ...(await firstSteps(db)) }),
  }),
  runner: command({
    role: "viewer",
    input: nothing,
    run: async (_, session) => ok(await runnerState(session, session.signal)),
  }),
  test_call: command({
    role: "viewer",
    input: z.strictObject({ tool: z.string().max(100), args: jsonObject }),
    run: testCall,
  }),
  /** Switches a loop on or off, for every process from its next pass on. */
  loop_switch: command({
    role: "owner",
    input: z.strictObject({ name: z.enum(LOOP_NAMES), on: z.boolean() }),
    async run({ name, on }, session) {
      const { db, workflow, by } = session;
      await switchLoop(db, name, on ? undefined : { at: workflow.now(), by });
      return ok(await runnerState(session, session.signal));
    },
  }),
  dry_run: command({
    role: "viewer",
    input: nothing,
    async run(_, { core, db, workflow, config, signal }) {
      const resolved = await core.services.resolve(["x"], {}, signal);
      if (!resolved.ok) return resolved;
      // Exactly the service that was named.
      const { x } = resolved.value as Pick<Services, "x">;
      return dryRun({ ...db, x, workflow, config: config.values, random: Math.random }, signal);
    },
  }),
  stop: command({
    role: "approver",
    input: z.strictObject({ reason: z.string().max(MAX_REASON).optional() }),
    async run({ reason }, { db, workflow, by }) {
      const stop = { at: workflow.now(), by, reason: reason?.trim() || undefined };
      return ok({ stop: stopView(await stopAll(db.store.db, db.account, stop)) });
    },
  }),
  resume: command({
    role: "owner",
    input: nothing,
    run: async (_, { db }) => ok({ stop: null, resumed: await resumeAll(db.store.db, db.account) }),
  }),
} as const;

type MaskedConfig = JsonObject & Config;

function clientSession({ db, config, visitor, clients }: CommandSession) {
  return { ...db, configuredAs: config.account, people: config.people, visitor, now: visitor.now, clients };
}

/** With calls of tools in the name of the visitor. */
function withCalls(session: CommandSession) {
  const { core, visitor, signal } = session;
  const caller = { transport: "web", client: visitor.person } as const;
  return {
    ...session,
    callTool: async (tool: string, args: JsonObject) =>
      callResultFrom(await core.pipeline.call({ tool, args, caller, signal })),
  };
}

/** The request and the answer of each command. */
export type Commands = {
  readonly [Name in keyof typeof webCommands]: {
    readonly request: z.input<(typeof webCommands)[Name]["input"]>;
    readonly answer: Extract<
      Awaited<ReturnType<(typeof webCommands)[Name]["run"]>>,
      { readonly ok: true }
    >["value"];
  };
};

interface WebCommand<Input extends z.ZodType, Answer> {
  readonly role: Role | ((request: JsonObject) => Role);
  readonly input: Input;
  readonly run: (input: z.output<Input>, session: CommandSession) => Promise<Outcome<Answer, Failure>>;
}

function command<Input extends z.ZodType, Answer>(declared: WebCommand<Input, Answer>) {
  return declared;
}
