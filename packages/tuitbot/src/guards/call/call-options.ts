import { EFFECTS, failed, type JsonObject, ok } from "@toolpact/contract";
import * as z from "zod";
import { MAX_KEY, withoutTextLimits } from "../../x/text-limits.ts";
import { ACCEPT_URL_PRICE, IDEMPOTENCY_KEY } from "../receipts/receipt.ts";
import { refusesRepeats, type TuitbotTool } from "./tool-facts.ts";

/**
 * A tool as the workflow profiles offer it: one that changes something at X also takes a key of the caller, and one
 * that posts also takes the caller's consent to the price of a link. The guards read them; the tool does not see them.
 * Instead of its own answer it may give that of a call that waits for a person.
 */
export function withCallOptions(tool: TuitbotTool): TuitbotTool {
  if (tool.facts.isLocal || !tool.effects.some((effect) => EFFECTS[effect].mutates)) return tool;
  return {
    ...withOptions(tool, optionsOf(tool), SCHEMAS),
    outputSchema() {
      const { $defs, ...own } = tool.outputSchema() ?? {};
      return { anyOf: [own, QUEUED], ...($defs !== undefined && { $defs }) };
    },
  };
}

/** A tool as `utility-write` offers it: one whose repeats are refused takes a key of the caller. */
export function withRepeatKey(tool: TuitbotTool): TuitbotTool {
  return refusesRepeats(tool) ? withOptions(tool, [IDEMPOTENCY_KEY], REPEAT_KEY) : tool;
}

const REPEAT_KEY = {
  [IDEMPOTENCY_KEY]: {
    type: "string",
    maxLength: MAX_KEY,
    description: "Your key: calls with different keys are different; with one key a call is sent once a day",
  },
};

function withOptions(
  tool: TuitbotTool,
  options: readonly Option[],
  schemas: Readonly<Partial<Record<Option, JsonObject>>>,
): TuitbotTool {
  const described = Object.fromEntries(options.map((name) => [name, schemas[name] ?? {}]));
  return {
    ...tool,
    inputSchema: (style) => {
      const schema = tool.inputSchema(style);
      const own = style === "flat" ? withoutTextLimits(described) : described;
      return { ...schema, properties: { ...(schema.properties as JsonObject), ...own } };
    },
    parse(args) {
      const given = Object.fromEntries(options.map((name) => [name, args[name]]));
      const checked = GIVEN.safeParse(given);
      if (!checked.success) return failed(`${tool.name}: ${checked.error.issues.map(complaint).join(" ")}`);
      const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !isOption(name, options)));
      const parsed = tool.parse(rest, options);
      if (!parsed.ok) return parsed;
      return ok({ ...parsed.value, input: { ...parsed.value.input, ...defined(checked.data) } });
    },
  };
}

type Option = keyof typeof SHAPES;

const SHAPES = {
  [IDEMPOTENCY_KEY]: z.string().min(1).max(MAX_KEY).optional(),
  [ACCEPT_URL_PRICE]: z.boolean().optional(),
};

/** Made once: Zod compiles each schema of its own at its first use. */
const GIVEN = z.strictObject(SHAPES);

const SCHEMAS: Readonly<Record<Option, JsonObject>> = {
  [IDEMPOTENCY_KEY]: {
    type: "string",
    maxLength: MAX_KEY,
    description: "Your key: with it the call is carried out once",
  },
  [ACCEPT_URL_PRICE]: {
    type: "boolean",
    description: "true: accept X's higher price for a post with a link",
  },
};

/** As much of `queuedShape` as tells a queued call from one that was carried out: it is in the list of every such tool. */
const QUEUED: JsonObject = {
  type: "object",
  properties: { status: { type: "string", const: "queued" }, approval_queue_id: { type: "number" } },
  required: ["status", "approval_queue_id"],
};

function optionsOf({ facts: { publishes }, effects }: TuitbotTool): readonly Option[] {
  if (!effects.some((effect) => EFFECTS[effect].guarded)) return [];
  return publishes === undefined ? [IDEMPOTENCY_KEY] : [IDEMPOTENCY_KEY, ACCEPT_URL_PRICE];
}

function isOption(name: string, options: readonly Option[]): boolean {
  return options.some((option) => option === name);
}

function complaint({ path, message }: z.core.$ZodIssue): string {
  return `\`${path.join(".")}\`: ${message}.`;
}

function defined(values: object): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
