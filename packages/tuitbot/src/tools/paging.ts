import { EFFECTS, type JsonObject } from "@toolpact/contract";
import { type AnswerLimit, type LimitedCall, parseJson } from "@toolpact/contract/internal";
import * as z from "zod";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import type { Page, PageKey } from "../storage/page.ts";
import { MAX_WORD } from "../x/text-limits.ts";

/** The argument that asks for the next page of a list which is sorted by `key`. */
export function pageToken<Key extends PageKey>(key: z.ZodType<Key>) {
  return z
    .string()
    .max(MAX_WORD)
    .transform((token, context) => {
      const read = key.safeParse(keyIn(token));
      if (read.success) return read.data;
      context.addIssue({ code: "custom", message: "is not a next_token of this tool" });
      return z.NEVER;
    })
    .optional()
    .describe("next_token of the page before");
}

/** How much of a list a caller wants: at most so many entries, in at most so many bytes. */
export interface PageSize {
  readonly entries: number;
  readonly bytes: number;
}

/** The argument that says how many entries a page has at most. */
export function pageSize(unasked: number, most: number) {
  const description = "At most this many";
  return (
    z
      .int()
      .min(1)
      .max(most)
      .optional()
      // No default of the schema, because a page that nobody asked for is shorter.
      .meta({ default: unasked, description })
      .transform(
        (limit): PageSize =>
          limit === undefined
            ? { entries: unasked, bytes: READ_BYTES - ENVELOPE_BYTES }
            : { entries: limit, bytes: ANSWER_BYTES - ENVELOPE_BYTES },
      )
  );
}

/** The largest answer to a call that only reads, unless it says how much it wants. */
const READ_BYTES = 8_000;

/** The largest answer of any tool that does not say otherwise. */
const ANSWER_BYTES = 40_000;

/** Left free for what every answer has. */
const ENVELOPE_BYTES = 1_000;

/** Builds a tool's page: as many entries as fit into the answer along with `rest`, and the token of the next page. */
export function answerPage<T, V>(
  { items, hasMore, keyOf }: Page<T>,
  size: PageSize,
  view: (item: T) => V,
  rest: unknown = "",
) {
  const entries: V[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(rest));
  for (const item of items) {
    const entry = view(item);
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes > size.bytes && entries.length > 0) break;
    entries.push(entry);
  }
  const last = items[entries.length - 1];
  const isCut = last !== undefined && (hasMore || entries.length < items.length);
  const pagination = {
    ...(isCut && { next_token: tokenOf(keyOf(last)) }),
    result_count: entries.length,
    has_more: isCut,
  };
  return { entries, notes: { pagination } };
}

function tokenOf(key: PageKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function keyIn(token: string): unknown {
  return parseJson(Buffer.from(token, "base64url").toString());
}

type ReadCall = Pick<LimitedCall<unknown, unknown>, "effect" | "args"> & { readonly tool: TuitbotTool };

/**
 * A read that does not say how much it wants gets at most 8 kB. Saying it is giving one of the arguments below, or
 * naming a thing to a tool that has none of them, such as a draft by its id.
 */
export function answerLimit({ tool, effect, args }: ReadCall): AnswerLimit | undefined {
  if (EFFECTS[effect].mutates) return undefined;
  const offered = sizesOf(tool);
  const [first] = offered;
  if (first === undefined) return Object.keys(args).length > 0 ? undefined : { bytes: READ_BYTES };
  if (offered.some((name) => args[name] !== undefined)) return undefined;
  return {
    bytes: READ_BYTES,
    goOn: `Unasked, an answer has at most 8 kB. Call again with \`${first}\` to get more.`,
  };
}

/** Arguments that say how much an answer is to hold, those that say it best first. */
const SIZES = [
  "limit",
  "max_results",
  "count",
  "days",
  "since_hours",
  "lookback_days",
  "granularity",
  "heatmap",
  "response_format",
  "ids",
  "user_ids",
  "usernames",
];

const known = new WeakMap<TuitbotTool, readonly string[]>();

function sizesOf(tool: TuitbotTool): readonly string[] {
  const found = known.get(tool);
  if (found !== undefined) return found;
  // The schema of an object, whose properties are an object.
  const { properties = {} } = tool.inputSchema("oneOf") as { readonly properties?: JsonObject };
  const sizes = SIZES.filter((name) => Object.hasOwn(properties, name));
  known.set(tool, sizes);
  return sizes;
}
