import { type CommandOutcome, clip, columns, type Paint, paint } from "@toolpact/cli";
import { escapeInvisible } from "@toolpact/contract/guards/text";
import { failed, ok } from "@toolpact/outcome";
import { type MutationFilter, type MutationSummary, recentMutations } from "../../audit/mutations.ts";
import { canonicalTool } from "../../guards/policy/policy.ts";
import { fullCatalog } from "../../server/catalog.ts";
import type { Session } from "../../storage/store.ts";
import type { CallFacts } from "../../web/api.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import { cleaned } from "../../x/untrusted.ts";
import type { Context } from "../context.ts";
import { minute, withDailySession } from "./daily-session.ts";

/** Prints the latest mutations, newest first. */
export function showLog({ limit, tool, status }: MutationFilter, context: Context): Promise<CommandOutcome> {
  return withDailySession(context, async ({ db }) => {
    const named = tool === undefined ? ok(undefined) : canonicalTool(tool, fullCatalog.tools);
    if (!named.ok) return failed({ message: `--tool ${named.failure}` });
    const { items: found } = await recentMutations(db.store.db, db.account, {
      limit,
      tool: named.value,
      status,
    });
    return ok({
      text:
        found.length === 0
          ? "Nothing was done here yet."
          : `${columns(found.map((entry) => logRow(entry, context)))}Times are UTC. \`tuitbot undo\` takes the last action back.`,
      json: { entries: await logEntries(db, found) },
    });
  });
}

/** Mutations as `--output json` has them: with who made each call, by which rule, and the state of its receipt. */
export async function logEntries({ store, account }: Session, entries: readonly MutationSummary[]) {
  const facts = new Map<string, CallFacts>();
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const ids = entries.slice(start, start + AT_ONCE).map(({ correlation_id }) => correlation_id);
    const rows = await store.db
      .selectFrom("audit")
      .leftJoin("receipts", "receipts.id", "audit.receipt_id")
      .select(["correlation_id", "client", "transport", "rule_id", "receipts.state as receipt_state"])
      .where("audit.account", "=", account)
      .where("correlation_id", "in", ids)
      .execute();
    for (const { correlation_id, ...row } of rows) facts.set(correlation_id, row);
  }
  const none: CallFacts = { client: null, transport: null, rule_id: null, receipt_state: null };
  return entries.map((entry) => ({
    ...entry,
    params: cleaned(entry.params),
    result: cleaned(entry.result),
    ...(facts.get(entry.correlation_id) ?? none),
  }));
}

/** Databases take a limited number of values in one query. */
const AT_ONCE = 500;

const STATUS: Readonly<Record<string, readonly [word: string, style: Paint]>> = {
  success: ["done", "green"],
  failure: ["failed", "red"],
  routed: ["waits", "yellow"],
  asked: ["asked", "yellow"],
  duplicate: ["repeated", "dim"],
  pending: ["not known", "yellow"],
};

/** Width of the columns before the text. */
const BEFORE = 52;

function logRow(entry: MutationSummary, { terminal }: Context): readonly string[] {
  const [word, style] = STATUS[entry.status] ?? [entry.status, "dim"];
  return [
    minute(entry.created_at),
    paint(terminal, style, word),
    entry.tool_name,
    clip(contentOf(entry), Math.max(20, terminal.width - BEFORE)),
  ];
}

/** What a mutation was about, in one line: why it failed, its text, or what it acted on. */
export function contentOf({ params, error_message }: MutationSummary): string {
  if (error_message !== null) return oneLine(error_message);
  const { text, tweets, ...others } = objectIn(params);
  const said = typeof text === "string" ? text : Array.isArray(tweets) ? tweets.join(" / ") : "";
  if (said !== "") return oneLine(said);
  return oneLine(
    Object.entries(others)
      .filter(([, value]) => typeof value === "string")
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(", "),
  );
}

function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, " "));
}
