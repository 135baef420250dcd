import { type CommandOutcome, clip, columns, type Paint, paint } from "@toolpact/cli";
import { escapeInvisible } from "@toolpact/contract/internal/text";
import { failed, ok } from "@toolpact/outcome";
import { type LogEntry, logJson, recentCalls } from "../../app/log.ts";
import type { MutationFilter, MutationSummary } from "../../audit/mutations.ts";
import { MUTATION_STATUSES, STATUS_WORDS } from "../../audit/statuses.ts";
import { canonicalTool } from "../../guards/policy/policy.ts";
import { fullCatalog } from "../../server/catalog.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import type { Context } from "../context.ts";
import { nameInWords, titleOf } from "../words.ts";
import { type DailySession, minute, withDailySession } from "./daily-session.ts";

/** Prints the latest mutations, newest first. */
export function showLog(
  { limit, tool, status: ending, rule }: MutationFilter,
  context: Context,
): Promise<CommandOutcome> {
  return withDailySession(context, async (session) => {
    const named = tool === undefined ? ok(undefined) : canonicalTool(nameOf(tool), fullCatalog.tools);
    if (!named.ok) return failed({ message: `--tool ${named.failure}` });
    const status = MUTATION_STATUSES.find((one) => one === ending || STATUS_WORDS[one] === ending);
    const entries = await recentCalls(session.db, { limit, tool: named.value, status, rule });
    return ok({
      text:
        entries.length === 0
          ? "Nothing was done here yet."
          : `${columns(entries.map((entry) => logRow(entry, session, context)))}Times are in ${session.config.values.schedule.timezone}. \`tuitbot undo\` takes the last action back.`,
      json: { entries: entries.map(logJson) },
    });
  });
}

const STYLES: Readonly<Record<(typeof MUTATION_STATUSES)[number], Paint>> = {
  success: "green",
  failure: "red",
  routed: "yellow",
  rejected: "yellow",
  expired: "dim",
  scheduled: "green",
  asked: "yellow",
  duplicate: "dim",
  pending: "yellow",
};

/** The name of the tool with this title, as the list prints it; anything else is as it was given. */
function nameOf(given: string): string {
  const title = given.toLowerCase();
  return fullCatalog.tools.find((tool) => tool.title.toLowerCase() === title)?.name ?? given;
}

/** Width of the columns before the text. */
const BEFORE = 52;

function logRow(entry: LogEntry, session: DailySession, { terminal }: Context): readonly string[] {
  const known = MUTATION_STATUSES.find((status) => status === entry.status);
  return [
    minute(entry.created_at, session),
    known === undefined ? entry.status : paint(terminal, STYLES[known], STATUS_WORDS[known]),
    titleOf(entry.tool_name),
    clip(`${ruleOf(entry)}${contentOf(entry)}`, Math.max(20, terminal.width - BEFORE)),
  ];
}

/** The rule that decided in place of a person. */
function ruleOf({ learned_rule: rule }: LogEntry): string {
  return rule === null ? "" : `by rule ${rule.id}: `;
}

/** A mutation in one line: its error, its text, or the ids that it acted on. */
export function contentOf({
  params,
  error_message,
  draft_texts = null,
}: Pick<MutationSummary, "params" | "error_message"> & Partial<Pick<LogEntry, "draft_texts">>): string {
  if (error_message !== null) return oneLine(error_message);
  const { text, texts, variants, tweets = texts ?? variants, ...others } = objectIn(params);
  const said = typeof text === "string" ? text : Array.isArray(tweets) ? tweets.join(" / ") : "";
  if (said !== "") return oneLine(said);
  if (draft_texts !== null) return oneLine(draft_texts.join(" / "));
  return oneLine(
    Object.entries(others)
      .filter(([, value]) => typeof value === "string")
      .map(([name, value]) => `${nameInWords(name)} ${String(value)}`)
      .join(", "),
  );
}

function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, " "));
}
