import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/outcome";
import { weighPost } from "@toolpact/x-api";
import * as z from "zod";
import { MOST_REASON } from "../../approval/consent.ts";
import type { ApprovalItem } from "../../approval/item.ts";
import { errors } from "../../errors.ts";
import { recentMutations } from "../../mutation/audit/mutations.ts";
import { undoableMutations } from "../../mutation/audit/undoable.ts";
import type { Core } from "../../server/core.ts";
import type { Services } from "../../tools/product.ts";
import type { CommandName, Commands, PendingItem, Role } from "../../web/api.ts";
import { postLimit } from "../../x/toolkit/post-text.ts";
import { type ApprovalSession, approvalSession } from "../approve/approval-session.ts";
import { itemJson } from "../approve/approval-view.ts";
import { logEntry } from "../daily/show-log.ts";
import { spendingFacts } from "../daily/show-spending.ts";
import { statsFacts } from "../daily/show-stats.ts";
import { statusFacts } from "../daily/show-status.ts";
import { takeBack, undoableJson } from "../daily/undo-last.ts";

/** What a command works with: everything that its like at the terminal has. */
export interface CommandSession extends Pick<Services, "db" | "workflow" | "config" | "approvals"> {
  readonly core: Core;
  /** Who gives the command, as the audit names them. */
  readonly by: string;
  readonly signal: AbortSignal;
}

interface WebCommand<Name extends CommandName> {
  readonly role: Role;
  readonly input: z.ZodType<Commands[Name]["request"]>;
  readonly run: (
    input: Commands[Name]["request"],
    session: CommandSession,
  ) => Promise<Outcome<Commands[Name]["answer"], Failure>>;
}

const nothing = z.strictObject({});
const id = z.int().min(1);
const days = z.int().min(1).max(365).optional();

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
    }),
    async run({ limit = 20, tool, status }, { db }) {
      const { items: found } = await recentMutations(db.store.db, db.account, { limit, tool, status });
      return ok({ entries: found.map(logEntry) });
    },
  },
  undo: {
    role: "approver",
    input: z.strictObject({ id: z.string().optional() }),
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
      const askers = await askersOf(session, items);
      const limit = postLimit(session.workflow.access);
      return ok({
        account: { ...approvals.me },
        items: items.map((item) => pendingItem(item, askers, limit)),
      });
    },
  },
  approve: {
    role: "approver",
    input: z.strictObject({ id, digest: z.string() }),
    async run({ id, digest }, session) {
      const released = await approvalsOf(session).approve({ id, digest });
      if (!released.ok) return released;
      return ok({ id, status: "approved", result: released.value.result ?? null });
    },
  },
  reject: {
    role: "approver",
    input: z.strictObject({ id, reason: z.string().max(MOST_REASON).optional() }),
    async run({ id, reason }, session) {
      const rejected = await approvalsOf(session).reject(id, reason?.trim() || undefined);
      return rejected.ok ? ok({ id, status: "rejected" }) : rejected;
    },
  },
};

function approvalsOf(session: CommandSession): ApprovalSession {
  return approvalSession(session, session.by, session.signal);
}

type Askers = ReadonlyMap<string, NonNullable<PendingItem["asked_by"]>>;

/** Who made the calls that wait, by the id of the call. */
async function askersOf({ db }: CommandSession, items: readonly ApprovalItem[]): Promise<Askers> {
  if (items.length === 0) return new Map();
  const rows = await db.store.db
    .selectFrom("audit")
    .select(["correlation_id", "client", "transport"])
    .where("account", "=", db.account)
    .where(
      "correlation_id",
      "in",
      items.map(({ correlationId }) => correlationId),
    )
    .execute();
  return new Map(
    rows.map(({ correlation_id, client, transport }) => [correlation_id, { client, transport }]),
  );
}

function pendingItem(item: ApprovalItem, askers: Askers, limit: number): PendingItem {
  return {
    ...itemJson(item),
    posts: textsOf(item).map((text) => ({ text, length: weighPost(text, limit).weighted_length, limit })),
    asked_by: askers.get(item.correlationId) ?? null,
  };
}

/** The texts that a call publishes, one for each post. */
function textsOf({ args }: ApprovalItem): readonly string[] {
  const { text, tweets } = args;
  if (typeof text === "string") return [text];
  return Array.isArray(tweets) ? tweets.filter((one) => typeof one === "string") : [];
}
