import { ok, type Success, type SuccessNotes } from "@toolpact/contract";
import {
  type CallArgs,
  type OperationId,
  operations,
  type PartialError,
  type XAnswer,
  type XClient,
} from "@toolpact/x-api";
import type * as z from "zod";
import { errors } from "../../errors.ts";
import { type Fields, type Kind, type Kinds, kinds, type missing, type pages } from "../shapes/kinds.ts";
import { peopleOf } from "../shapes/people.ts";
import { countIn, numberIn, textIn, type XObject } from "../shapes/x-object.ts";
import { cleaned, cleanText, NOTICE } from "../untrusted.ts";
import { askX, type FromX } from "./ask-x.ts";

/** Named fields are shown as X sends them. */
export interface View {
  readonly format: "concise" | "detailed";
  readonly fields?: Fields;
}

export interface Read<K extends Kind> {
  readonly operation: OperationId;
  readonly kind: K;
  readonly args: CallArgs;
  readonly view: View;
}

export async function readOne<K extends Kind>(client: XClient, read: Read<K>): Promise<FromX<One<K>>> {
  const answer = await askX<XObject | null>(client, read.operation, withFields(read));
  if (!answer.ok) return answer;
  const { data } = answer.value;
  if (data === null) return errors.fail("not_found", "X has no such thing, or does not show it.");
  const [shown] = show(read, [data], answer.value);
  // One for each that came.
  return ok({ notice: NOTICE, ...(shown as Kinds[K]), ...includesFor(read.view, answer.value) });
}

export type One<K extends Kind> = Kinds[K] & { notice: string; includes?: Record<string, unknown> };

/** With the next page's token. */
export async function readPage<K extends Kind>(client: XClient, read: Read<K>): Promise<ManyFromX<Page<K>>> {
  const answer = await askX<XObject[]>(client, read.operation, withFields(read));
  if (!answer.ok) return answer;
  const { data, pagination, errors: left } = answer.value;
  const { inList } = kinds[read.kind];
  const shown = show(read, data, answer.value);
  const page = {
    notice: NOTICE,
    [read.kind]: inList !== undefined && isShort(read.view) ? shown.map(inList) : shown,
    ...(left.length > 0 && { missing: left.map(missingOf) }),
    ...includesFor(read.view, answer.value),
  };
  // A computed key widens to any text.
  const value = page as unknown as Page<K>;
  return pagination === undefined ? ok(value) : ok(value, { pagination });
}

export type Page<K extends Kind> = z.input<(typeof pages)[K]>;

export type ManyFromX<T> = Success<T, SuccessNotes> | Exclude<FromX<T>, Success<T>>;

/** Over time. */
export async function readCounts(client: XClient, args: CallArgs): Promise<ManyFromX<Counts>> {
  const answer = await askX<XObject[]>(client, "getPostsCountsRecent", args);
  if (!answer.ok) return answer;
  const { data, meta, pagination } = answer.value;
  const counts = data.map((row) => ({
    start: textIn(row, "start") ?? "",
    end: textIn(row, "end") ?? "",
    count: countIn(row, "posts") ?? 0,
  }));
  const total = numberIn(meta, "total_tweet_count") ?? counts.reduce((sum, { count }) => sum + count, 0);
  return pagination === undefined ? ok({ counts, total }) : ok({ counts, total }, { pagination });
}

export interface Counts {
  counts: { start: string; end: string; count: number }[];
  total: number;
}

function show<K extends Kind>(
  { kind, view }: Read<K>,
  things: readonly XObject[],
  { includes }: XAnswer,
): Kinds[K][] {
  if (isShort(view)) {
    const people = peopleOf(includes);
    return things.map((thing) => kinds[kind].short(thing, people));
  }
  // The schema only requires the id of X's object.
  return things.map((thing) => cleaned(thing) as unknown as Kinds[K]);
}

function isShort({ format, fields }: View): boolean {
  return format === "concise" && fields === undefined;
}

function includesFor(view: View, { includes }: XAnswer): { includes?: Record<string, unknown> } {
  if (isShort(view) || Object.keys(includes).length === 0) return {};
  // Cleaning an object gives an object.
  return { includes: cleaned(includes) as Record<string, unknown> };
}

/** If the operation supports them. */
function withFields<K extends Kind>({ operation, kind, args, view }: Read<K>): CallArgs {
  const wanted = { ...kinds[kind][view.format], ...view.fields };
  const { params } = operations[operation];
  const known = Object.entries(wanted).filter(([name]) => params.some((param) => param.name === name));
  return { ...args, query: { ...args.query, ...Object.fromEntries(known) } };
}

function missingOf({ type, resource_id, value }: PartialError): z.input<typeof missing>[number] {
  const problem = type?.split("/").at(-1) ?? "";
  return { value: cleanText(resource_id ?? value ?? ""), reason: MISSING_REASONS.get(problem) ?? "other" };
}

const MISSING_REASONS: ReadonlyMap<string, z.input<typeof missing>[number]["reason"]> = new Map([
  ["resource-not-found", "not_found"],
  ["resource-unavailable", "not_found"],
  ["not-authorized-for-resource", "not_authorized"],
  ["not-authorized-for-field", "not_authorized"],
]);
