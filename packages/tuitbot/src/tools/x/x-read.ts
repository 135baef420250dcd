import { ok } from "@toolpact/contract";
import type { CallInput, OperationId } from "@toolpact/x-api";
import * as z from "zod";
import type { ServerState } from "../../app/services.ts";
import { xErrors } from "../../errors.ts";
import type { ToolFacts, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { looksLikeInstructions } from "../../injection/instructions.ts";
import type { Profile } from "../../profiles.ts";
import { type FieldParam, type Fields, type Kind, pages, singles } from "../../x/shapes/kinds.ts";
import { MAX_WORD } from "../../x/text-limits.ts";
import { type FromX, idOfPerson } from "../../x/toolkit/ask-x.ts";
import { type ManyFromX, type One, type Page, readOne, readPage } from "../../x/toolkit/read.ts";
import type { X } from "../../x/x.ts";
import { pagination_token } from "../params.ts";
import { defineTool } from "../product.ts";

interface Row<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchWords: string;
  readonly category: "read" | "list" | "moderation" | "direct_message";
  readonly profiles: readonly Profile[];
  readonly operation: OperationId;
  readonly facts?: ToolFacts;
  readonly params: Shape;
  /** They name people, and become ids. */
  readonly people?: readonly (keyof Shape & string)[];
  /** X requires the signed-in account there. */
  readonly own?: string;
  /** Besides `params`. */
  readonly fields?: readonly FieldName[];
  readonly place: (input: z.output<z.ZodObject<Shape>>) => CallInput;
}

interface OneRow<K extends keyof typeof singles, Shape extends z.ZodRawShape> extends Row<Shape> {
  readonly kind: K;
}

interface PageRow<K extends Kind, Shape extends z.ZodRawShape> extends Row<Shape> {
  readonly kind: K;
  /** X's page sizes; absent if X does not page. */
  readonly page?: readonly [least: number, most: number];
  readonly finish?: (page: Page<K>, state: ServerState, signal: AbortSignal) => Page<K> | Promise<Page<K>>;
}

export function xReadOne<K extends keyof typeof singles, Shape extends z.ZodRawShape>(
  row: OneRow<K, Shape>,
): TuitbotTool {
  return defineTool({
    ...headOf(row),
    input: z.strictObject({ ...row.params, ...fieldParams(row), response_format }),
    // Looked up by a key, the type covers all kinds.
    output: singles[row.kind] as unknown as z.ZodType<unknown, One<K>>,
    handler: async (input, { x, signal }) => {
      const placed = await placedFor(row, input, x, signal);
      if (!placed.ok) return placed;
      const { operation, kind } = row;
      const view = viewOf(input);
      const read = await readOne(x.client, { operation, kind, args: { ...placed.value, signal }, view });
      if (!read.ok || kind !== "posts" || view.format === "detailed") return read;
      return { ...read, value: markedText(read.value) };
    },
  });
}

/** In pages, if X pages. */
export function xReadPage<K extends Kind, Shape extends z.ZodRawShape>(row: PageRow<K, Shape>): TuitbotTool {
  return defineTool({
    ...headOf(row),
    goOn: "Ask for a smaller page.",
    input: z.strictObject({ ...row.params, ...pageParams(row.page), ...fieldParams(row), response_format }),
    // Looked up by a key, the type covers all kinds.
    output: pages[row.kind] as unknown as z.ZodType<unknown, Page<K>>,
    needs: ["x", "server"],
    handler: async (input, { x, server, signal }): Promise<ManyFromX<Page<K>>> => {
      const placed = await placedFor(row, input, x, signal);
      if (!placed.ok) return placed;
      const { operation, kind } = row;
      const args = { ...placed.value, query: { ...pageIn(input), ...placed.value.query }, signal };
      const view = viewOf(input);
      const read = await readPage(x.client, { operation, kind, args, view });
      if (!read.ok || view.format === "detailed") return read;
      const page = marked(kind, read.value);
      return { ...read, value: (await row.finish?.(page, server, signal)) ?? page };
    },
  });
}

/** Posts and messages with instructions to their reader. */
function marked<K extends Kind>(kind: K, page: Page<K>): Page<K> {
  if (kind !== "posts" && kind !== "messages") return page;
  // A page's entries are under the name of their kind.
  const entries = (page as unknown as Readonly<Record<Kind, readonly unknown[]>>)[kind];
  return { ...page, [kind]: entries.map(markedText) };
}

function markedText<T>(entry: T): T {
  const { text } = Object(entry) as { readonly text?: unknown };
  const isMarked = typeof text === "string" && looksLikeInstructions(text);
  return isMarked ? { ...entry, looks_like_instructions: true } : entry;
}

/** Named by its `id`. */
export function byId<Id extends z.ZodType<string>>(id: Id) {
  return { params: { id }, place: (input: { readonly id: string }) => ({ path: { id: input.id } }) };
}

/** Named by `user_id`. */
export function byUserId<Person extends z.ZodType<string>>(user_id: Person) {
  return {
    params: { user_id },
    people: ["user_id"],
    place: (input: { readonly user_id: string }) => ({ path: { id: input.user_id } }),
  } as const;
}

/** Default concise. Without a default in the schema, the tool list is shorter. */
const response_format = z.enum(["concise", "detailed"]).optional().describe("detailed: X's own objects");

/** With an example for each. */
const FIELD_PARAMS = {
  tweet_fields: ["tweet.fields", "created_at,public_metrics"],
  user_fields: ["user.fields", "created_at,description"],
  list_fields: ["list.fields", "member_count,private"],
  space_fields: ["space.fields", "title,state,host_ids"],
  dm_event_fields: ["dm_event.fields", "text,sender_id,created_at"],
  expansions: ["expansions"],
} as const satisfies Record<string, readonly [FieldParam, example?: string]>;

type FieldName = keyof typeof FIELD_PARAMS;

type Head = Pick<
  Row<z.ZodRawShape>,
  "name" | "title" | "description" | "searchWords" | "category" | "profiles" | "operation" | "facts"
>;

function headOf({ name, title, description, searchWords, category, profiles, operation, facts }: Head) {
  return {
    name,
    title,
    description,
    searchWords,
    category,
    profiles,
    effect: "none",
    openWorld: true,
    needs: ["x"],
    errors: xErrors,
    facts: { operations: [operation], ...facts },
  } as const;
}

function pageParams(page: readonly [number, number] | undefined) {
  if (page === undefined) return {};
  const [least, most] = page;
  return { max_results: z.int().min(least).max(most).default(10).describe("Page size"), pagination_token };
}

function fieldParams({
  kind,
  fields = [],
}: Pick<Row<z.ZodRawShape>, "fields"> & { readonly kind: Kind }): Partial<Record<FieldName, FieldSchema>> {
  const exampleOf = (name: FieldName) => (name === "expansions" ? EXPANSIONS[kind] : FIELD_PARAMS[name][1]);
  return Object.fromEntries(
    fields.map((name) => [name, fieldSchema.describe(`Comma-separated: ${exampleOf(name)}`)]),
  );
}

/** By kind, as X offers them. */
const EXPANSIONS: Readonly<Record<Kind, string>> = {
  posts: "author_id",
  users: "pinned_tweet_id",
  lists: "owner_id",
  spaces: "creator_id,host_ids",
  messages: "sender_id",
};

const fieldSchema = z
  .string()
  .max(MAX_WORD)
  .refine((text) => /^[\w.]+(,[\w.]+)*$/.test(text), "must be X's names, comma-separated, without spaces")
  .optional();

type FieldSchema = typeof fieldSchema;

// These two read only what the builders added to every row.

function viewOf(input: Readonly<Record<string, unknown>>) {
  const chosen = Object.entries(FIELD_PARAMS).flatMap(([name, [param]]) => {
    const value = input[name];
    return typeof value === "string" ? [[param, value]] : [];
  });
  const format = input.response_format === "detailed" ? "detailed" : "concise";
  const fields: Fields = Object.fromEntries(chosen);
  return chosen.length === 0 ? ({ format } as const) : ({ format, fields } as const);
}

function pageIn({ max_results, pagination_token }: Readonly<Record<string, unknown>>) {
  return {
    max_results: typeof max_results === "number" ? max_results : undefined,
    pagination_token: typeof pagination_token === "string" ? pagination_token : undefined,
  };
}

async function placedFor<Shape extends z.ZodRawShape>(
  row: Pick<Row<Shape>, "people" | "own" | "place">,
  input: Readonly<Record<string, unknown>>,
  x: X,
  signal: AbortSignal,
): Promise<FromX<CallInput>> {
  const named = await withIds(row.people, input, x, signal);
  if (!named.ok) return named;
  // Made of this shape, and people stay texts.
  const placed = row.place(named.value as z.output<z.ZodObject<Shape>>);
  if (row.own === undefined) return ok(placed);
  const me = await idOfPerson(x, "me", signal);
  return me.ok ? ok({ ...placed, path: { ...placed.path, [row.own]: me.value } }) : me;
}

/** Replaces these people by their ids. */
export async function withIds<Input extends Readonly<Record<string, unknown>>>(
  parameters: readonly string[] | undefined,
  input: Input,
  x: X,
  signal: AbortSignal,
): Promise<FromX<Input>> {
  let named = input;
  for (const parameter of parameters ?? []) {
    const id = await idOfPerson(x, String(input[parameter]), signal);
    if (!id.ok) return id;
    named = { ...named, [parameter]: id.value };
  }
  return ok(named);
}
