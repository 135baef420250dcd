import type { JsonObject } from "../json.ts";
import { type ApprovalItem, type ItemPeople, peopleLine } from "./approval-item.ts";
import { formatDuration, formatLines, oneLine, quotedLines } from "./shown-text.ts";

export interface ShownItem extends ItemPeople {
  readonly title: string;
  readonly facts: string;
  readonly args: readonly (readonly [name: string, value: unknown])[];
  /** With invisible characters escaped. */
  readonly more?: readonly string[];
  readonly reason: string;
}

/** Everything that will be executed, to the last character. Marks set content apart from our own lines. */
export function formatShown({ title, facts, args, more = [], reason, ...people }: ShownItem): string {
  const said = peopleLine(people);
  return [
    title,
    // First, because clients cut long questions at the end.
    ...args.flatMap(([name, value]) => [`${oneLine(name)}:`, ...quotedLines(value)]),
    facts,
    ...more,
    `Why you are asked: ${oneLine(reason)}`,
    ...(said === undefined ? [] : [oneLine(said)]),
  ].join("\n");
}

/** Formats an item of the guards' own storage. */
export function formatItem(item: ApprovalItem, now: number): string {
  const { id, tool, args, context, client = "", createdAt, expiresAt } = item;
  return formatShown({
    ...item,
    title: `Item ${id}: ${oneLine(tool)}`,
    facts: `Asked for ${formatDuration(now - createdAt)} ago by ${quotedClient(client)}, expires in ${formatDuration(expiresAt - now)}`,
    args: Object.entries(args),
    more: context === undefined ? [] : ["What it is about:", ...contextLines(context)],
  });
}

/** Other marks, because these are not arguments. */
function contextLines(context: JsonObject): readonly string[] {
  return Object.entries(context).flatMap(([name, value = null]) => [
    `┊ ${oneLine(name)}:`,
    ...formatLines(value).map((line) => `┊   ${line}`),
  ]);
}

/** A client claims its name, so it is quoted and short. */
export function quotedClient(client: string): string {
  return `client ${JSON.stringify(oneLine(client.slice(0, MAX_OF_NAME)))}`;
}

const MAX_OF_NAME = 60;
