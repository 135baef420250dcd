import { EFFECTS, type JsonObject } from "@toolpact/contract";
import { type AnswerLimit, type LimitedCall, parseJson } from "@toolpact/contract/internal";
import * as z from "zod";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import type { Page, PageKey } from "../storage/page.ts";
import { MAX_WORD } from "../x/text-limits.ts";

/** For lists sorted by `key`. */
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

/** Entries and bytes, at most. */
export interface PageSize {
  readonly entries: number;
  readonly bytes: number;
}

export function pageSize(unasked: number, most: number) {
  const description = "At most this many";
  return (
    z
      .int()
      .min(1)
      .max(most)
      .optional()
      // Unrequested pages are shorter, so the schema has no default.
      .meta({ default: unasked, description })
      .transform(
        (limit): PageSize =>
          limit === undefined
            ? { entries: unasked, bytes: READ_BYTES - ENVELOPE_BYTES }
            : { entries: limit, bytes: ANSWER_BYTES - ENVELOPE_BYTES },
      )
  );
}

/** Unless the caller asks for more. */
const READ_BYTES = 8_000;

/** Unless the tool says otherwise. */
const ANSWER_BYTES = 40_000;

const ENVELOPE_BYTES = 1_000;

/** As many entries as fit with `rest`, and the next token. */
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

/** 8 kB for a read, unless it sets a size below or names one thing, such as a draft. */
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

/** Most explicit first. */
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
  // An object's properties are an object.
  const { properties = {} } = tool.inputSchema("oneOf") as { readonly properties?: JsonObject };
  const sizes = SIZES.filter((name) => Object.hasOwn(properties, name));
  known.set(tool, sizes);
  return sizes;
}
