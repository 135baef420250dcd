import type { JsonObject } from "../json.ts";
import { type ApprovalItem, type ItemPeople, peopleLine } from "./approval-item.ts";
import { formatDuration, formatLines, oneLine, quotedLines } from "./shown-text.ts";

/** An item in the parts that a person is shown, from above. */
export interface ShownItem extends ItemPeople {
  readonly title: string;
  /** For whom and by whom, since when and until when. */
  readonly facts: string;
  /** All that will be carried out, by name. */
  readonly args: readonly (readonly [name: string, value: unknown])[];
  /** More lines from the product, with invisible characters escaped. */
  readonly more?: readonly string[];
  readonly reason: string;
}

/**
 * An item as text for a person: everything that will be carried out, to the last character. Each line of its content is
 * marked, so that it cannot be mistaken for a line of ours.
 */
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

/** The same of an item of the guards' own storage. */
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

/** With marks of their own: these lines are not arguments. */
function contextLines(context: JsonObject): readonly string[] {
  return Object.entries(context).flatMap(([name, value = null]) => [
    `┊ ${oneLine(name)}:`,
    ...formatLines(value).map((line) => `┊   ${line}`),
  ]);
}

/** The name of a client is its own claim, so it is quoted and short. */
export function quotedClient(client: string): string {
  return `client ${JSON.stringify(oneLine(client.slice(0, MAX_OF_NAME)))}`;
}

const MAX_OF_NAME = 60;
