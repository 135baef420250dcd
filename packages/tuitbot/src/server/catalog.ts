import { EFFECTS, failed, type JsonObject, ok } from "@toolpact/contract";
import { catalog } from "@toolpact/contract/internal";
import { scopesFor } from "@toolpact/x-api";
import * as z from "zod";
import { refusesRepeats, type TuitbotCatalog, type TuitbotTool } from "../guards/call/tool-facts.ts";
import { ACCEPT_URL_PRICE, IDEMPOTENCY_KEY, NOTE } from "../guards/receipts/receipt.ts";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { allTools } from "../tools/all-tools.ts";
import { MAX_KEY, MAX_NOTE, NOTE_DESCRIPTION, withoutTextLimits } from "../x/text-limits.ts";

/** Every tool of every profile. */
export const fullCatalog: TuitbotCatalog = catalog(allTools);

/** The tools of a profile as it offers them. */
export function catalogFor(profile: Profile): TuitbotCatalog {
  const selected = fullCatalog.select({ profile });
  if (isWorkflowProfile(profile)) return catalog(selected.tools.map(withCallOptions));
  return profile === "utility-write" ? catalog(selected.tools.map(withRepeatKey)) : selected;
}

/** The OAuth scopes that the tools of a profile need. */
export function scopesForProfile(profile: Profile): readonly string[] {
  const tools = fullCatalog.select({ profile }).tools;
  return scopesFor(["getUsersMe", ...tools.flatMap(({ facts }) => facts.operations ?? [])]);
}

/**
 * Adds the options of the workflow profiles to a tool. A tool that changes something at X also accepts a note to the
 * approver and an idempotency key; one that posts also accepts consent to the price of a link. The guards read them;
 * the tool does not see them.
 * Its answer may be replaced by that of a call waiting for approval.
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
function withRepeatKey(tool: TuitbotTool): TuitbotTool {
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
      const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !isOption(name, options)));
      const parsed = tool.parse(rest, options);
      // All that is wrong is reported at once.
      const problems = [
        ...(parsed.ok ? [] : [parsed.failure]),
        ...(checked.success ? [] : [`${tool.name}: ${checked.error.issues.map(complaint).join(" ")}`]),
      ];
      if (!parsed.ok || !checked.success) return failed(problems.join(" "));
      return ok({ ...parsed.value, input: { ...parsed.value.input, ...defined(checked.data) } });
    },
  };
}

type Option = keyof typeof SHAPES;

const SHAPES = {
  [IDEMPOTENCY_KEY]: z.string().min(1).max(MAX_KEY).optional(),
  [ACCEPT_URL_PRICE]: z.boolean().optional(),
  [NOTE]: z.string().max(MAX_NOTE).optional(),
};

/** Created once: Zod compiles each schema object on first use. */
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
  [NOTE]: { type: "string", maxLength: MAX_NOTE, description: NOTE_DESCRIPTION },
};

/** As much of `queuedShape` as tells a queued call from one that was carried out: it is in the list of every such tool. */
const QUEUED: JsonObject = {
  type: "object",
  properties: { status: { type: "string", const: "queued" }, approval_queue_id: { type: "number" } },
  required: ["status", "approval_queue_id"],
};

function optionsOf({ facts: { publishes }, effects }: TuitbotTool): readonly Option[] {
  if (!effects.some((effect) => EFFECTS[effect].guarded)) return [NOTE];
  return publishes === undefined ? [IDEMPOTENCY_KEY, NOTE] : [IDEMPOTENCY_KEY, ACCEPT_URL_PRICE, NOTE];
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

/** Explains which profile has a missing tool, or how to find one. */
export function unknownTool(
  name: string,
  nearest: string | undefined,
  profile: Profile,
  catalog: TuitbotCatalog,
): string | undefined {
  const elsewhere = fullCatalog.get(name)?.profiles ?? [];
  if (elsewhere.includes(profile)) return "This server was started without it.";
  if (elsewhere.length > 0)
    return `It exists, but not in the profile ${profile}: ${elsewhere.join(", ")} ${elsewhere.length === 1 ? "has" : "have"} it.`;
  if (catalog.get("find_tools") === undefined) return undefined;
  const guess = nearest === undefined ? "" : `Did you mean \`${nearest}\`? `;
  return `${guess}find_tools finds tools by what you want to do.`;
}
