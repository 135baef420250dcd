import { EFFECTS, type JsonObject } from "@toolpact/contract";
import type { AnswerLimit, LimitedCall } from "@toolpact/contract/internal";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import { READ_BYTES } from "../tools/paging.ts";

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
