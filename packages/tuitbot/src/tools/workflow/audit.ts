import { ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import * as z from "zod";
import { actionCounts, actionLog } from "../../audit/actions.ts";
import { type MutationKey, mutationDetail, recentMutations } from "../../audit/mutations.ts";
import { MUTATION_STATUSES } from "../../audit/statuses.ts";
import { errors } from "../../errors.ts";
import { canonicalTool, type NamedTool } from "../../guards/policy/policy.ts";
import { writeUp } from "../../profiles.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import { cleaned, NOTICE } from "../../x/untrusted.ts";
import { answerPage, pageSize, pageToken } from "../paging.ts";
import { defineTool } from "../product.ts";

const about = {
  category: "analytics",
  effect: "none",
  openWorld: false,
  profiles: writeUp,
} as const;

const since_hours = z.int().min(1).max(2160).default(24).describe("Hours to go back");
const notice = z.string();
const pagination_token = pageToken<MutationKey>(z.tuple([z.int(), z.string()]));

export const getActionLog = defineTool({
  ...about,
  name: "get_action_log",
  searchWords: "activity log, history of actions, audit log",
  title: "List attempted changes",
  description:
    "List every change that was tried here and how it ended: the newest page first, within a page the oldest first. For arguments and results use get_recent_mutations.",
  needs: ["db", "workflow", "server"],
  errors: ["db_error", "invalid_input"],
  input: z.strictObject({
    since_hours,
    action_type: z.string().min(1).max(MAX_WORD).optional().describe("Only this tool, such as x_post_tweet"),
    limit: pageSize(20, 500),
    pagination_token,
  }),
  output: z.object({
    actions: z.array(
      z.object({
        id: z.string(),
        action_type: z.string(),
        status: z.string(),
        message: z.string().nullable(),
        metadata: z.looseObject({}),
        created_at: z.string(),
      }),
    ),
    notice,
  }),
  handler: async ({ since_hours, action_type, limit, pagination_token: after }, { db, workflow, server }) => {
    const type = action_type === undefined ? ok(undefined) : toolNamed(action_type, server.tools);
    if (!type.ok) return type;
    const since = workflow.now() - since_hours * HOUR_MS;
    const page = await actionLog(db.store.db, db.account, {
      since,
      type: type.value,
      limit: limit.entries,
      after,
    });
    const { entries, notes } = answerPage(page, limit, (entry) => ({ ...entry }));
    return ok({ notice: NOTICE, actions: entries.reverse() }, notes);
  },
});

export const getActionCounts = defineTool({
  ...about,
  name: "get_action_counts",
  searchWords: "how many actions were tried, activity per hour",
  title: "Count attempted changes",
  description:
    "Count how often each kind of change was tried here in full hours, and how often it succeeded.",
  needs: ["db", "workflow"],
  errors: ["db_error"],
  input: z.strictObject({ since_hours }),
  output: z.object({
    counts: z.array(z.object({ action_type: z.string(), tried: z.number(), done: z.number() })),
  }),
  handler: async ({ since_hours }, { db, workflow }) => {
    const since = workflow.now() - since_hours * HOUR_MS;
    return ok({ counts: [...(await actionCounts(db.store.db, db.account, since))] });
  },
});

const mutation = z.object({
  correlation_id: z.string(),
  tool_name: z.string(),
  status: z.string(),
  decision: z.string(),
  params: z.unknown(),
  result: z.unknown(),
  error_message: z.string().nullable(),
  receipt_id: z.string().nullable(),
  approval_id: z.number().nullable(),
  elapsed_ms: z.number().nullable(),
  created_at: z.string(),
});

export const getRecentMutations = defineTool({
  ...about,
  name: "get_recent_mutations",
  searchWords:
    "what was done recently, what did you do, recent changes, what was sent, history of what went out",
  facts: { everyday: true },
  title: "List recent changes",
  description: "List the newest changes with their arguments, the policy's decision and their result.",
  needs: ["db", "server"],
  errors: ["db_error", "invalid_input"],
  input: z.strictObject({
    limit: pageSize(20, 100),
    pagination_token,
    tool_name: z.string().min(1).max(MAX_WORD).optional().describe("Only this tool, such as x_post_tweet"),
    status: z.enum(MUTATION_STATUSES).optional().describe("Only these; routed: waits for a person"),
  }),
  output: z.object({ mutations: z.array(mutation), count: z.number(), notice }),
  handler: async ({ limit, pagination_token: after, tool_name, status }, { db, server }) => {
    const tool = tool_name === undefined ? ok(undefined) : toolNamed(tool_name, server.tools);
    if (!tool.ok) return tool;
    const filter = { limit: limit.entries, after, tool: tool.value, status };
    const page = await recentMutations(db.store.db, db.account, filter);
    const { entries: mutations, notes } = answerPage(page, limit, shown);
    return ok({ notice: NOTICE, mutations, count: mutations.length }, notes);
  },
});

export const getMutationDetail = defineTool({
  ...about,
  name: "get_mutation_detail",
  searchWords: "details of one change, why was it refused, how to undo a change",
  title: "Get one change",
  description:
    "Get everything about one change: caller, arguments, matched rule, receipt, and how to undo it.",
  needs: ["db"],
  errors: ["db_error", "not_found"],
  input: z.strictObject({
    correlation_id: z.string().min(1).max(MAX_WORD).describe("meta.correlation_id of the call"),
  }),
  output: mutation.extend({
    client: z.string().nullable(),
    transport: z.string().nullable(),
    rule_id: z.string().nullable(),
    error_code: z.string().nullable(),
    rollback: z.unknown().describe("How to undo it"),
    receipt: z.object({ state: z.string(), settled_at: z.string().nullable() }).nullable(),
    notice,
  }),
  handler: async ({ correlation_id }, { db }) => {
    const found = await mutationDetail(db.store.db, db.account, correlation_id);
    return found.ok ? ok({ notice: NOTICE, ...shown(found.value) }) : found;
  },
});

function toolNamed(name: string, known: readonly NamedTool[]) {
  const canonical = canonicalTool(name, known);
  return canonical.ok
    ? canonical
    : errors.fail("invalid_input", `It ${canonical.failure}`, { fixBy: "agent" });
}

/** Without hidden characters. */
function shown<T extends { readonly params: unknown; readonly result: unknown }>(entry: T): T {
  return { ...entry, params: cleaned(entry.params), result: cleaned(entry.result) };
}
