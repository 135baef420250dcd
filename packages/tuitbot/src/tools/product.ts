import type { JsonObject, SuccessNotes } from "@toolpact/contract";
import { defineProduct, type JsonSchema } from "@toolpact/contract/internal";
import type * as z from "zod";
import type { Services } from "../app/services.ts";
import { type ErrorCode, errors } from "../errors.ts";
import type { Annotations, CallContext } from "../guards/call/call-context.ts";
import type { CallPlan, ToolFacts, TuitbotTool } from "../guards/call/tool-facts.ts";
import { profiles } from "../profiles.ts";
import { withoutTextLimits } from "../x/text-limits.ts";
import { argumentReader } from "./argument-names.ts";

export const product = defineProduct<{
  services: Services;
  notes: SuccessNotes;
  facts: ToolFacts;
  plan: CallPlan;
  context: CallContext;
  annotations: Annotations;
}>()({
  errors,
  categories: [
    "read",
    "write",
    "engage",
    "media",
    "analytics",
    "approval",
    "content",
    "discovery",
    "scoring",
    "config",
    "health",
    "policy",
    "telemetry",
    "context",
    "composite",
    "meta",
    "list",
    "moderation",
    "direct_message",
    "ads",
    "compliance",
  ],
  profiles,
  // Most services always exist; a missing one is a bug.
  services: {
    x: "serialization_error",
    config: "serialization_error",
    server: "serialization_error",
    db: "db_error",
    approvals: "policy_error",
    workflow: "serialization_error",
    llm: "llm_not_configured",
  },
});

export const { defineResource } = product;

/** The rest derives from the declaration and the operation table. */
export function defineTool<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: Declaration<Need, Code, I, O>): TuitbotTool {
  const isAlwaysLoaded = declaration.facts?.everyday ?? false;
  const tool = product.defineTool<Need, Code, I, O>({ facts: {}, isAlwaysLoaded, ...declaration });
  const inputSchema: TuitbotTool["inputSchema"] = (style) => {
    const offered = withoutHidden(tool.inputSchema(style));
    return style === "flat" ? withoutTextLimits(offered) : offered;
  };
  let reader: ReturnType<typeof argumentReader> | undefined;
  const readArguments = (args: JsonObject) => {
    reader ??= argumentReader({ ...tool, properties: propertiesOf(inputSchema("flat")) });
    return reader(args);
  };
  return { ...tool, inputSchema, readArguments };
}

/** Mark such parameters with `.meta(HIDDEN)`. */
function withoutHidden(schema: JsonSchema): JsonSchema {
  const offered = Object.entries(propertiesOf(schema)).filter(
    ([, one]) => !Object.hasOwn(Object(one), "isHidden"),
  );
  return { ...schema, properties: Object.fromEntries(offered) };
}

function propertiesOf({ properties }: JsonSchema): JsonObject {
  // An object's properties are an object.
  return (properties ?? {}) as JsonObject;
}

type Full<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Parameters<typeof product.defineTool<Need, Code, I, O>>[0];

/** For a tool without facts. */
type Declaration<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Omit<Full<Need, Code, I, O>, "facts"> & { readonly facts?: ToolFacts };

/** For clients with MCP Apps: decision 42. */
export const APPS = {
  approval: "ui://tuitbot/approval",
  postPreview: "ui://tuitbot/post-preview",
  analytics: "ui://tuitbot/analytics",
} as const;
