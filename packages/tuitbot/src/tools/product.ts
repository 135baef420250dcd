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
  // Most services are always there: to be without them is a defect.
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

/** Declares a tool. Everything else about it is derived from what is declared here and the operation table. */
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

/** A parameter with one possible value is accepted, and not offered: mark it with `.meta(HIDDEN)`. */
function withoutHidden(schema: JsonSchema): JsonSchema {
  const offered = Object.entries(propertiesOf(schema)).filter(
    ([, one]) => !Object.hasOwn(Object(one), "isHidden"),
  );
  return { ...schema, properties: Object.fromEntries(offered) };
}

function propertiesOf({ properties }: JsonSchema): JsonObject {
  // The schema of an object has its properties as an object.
  return (properties ?? {}) as JsonObject;
}

type Full<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Parameters<typeof product.defineTool<Need, Code, I, O>>[0];

/** Makes the facts optional for a tool that has none. */
type Declaration<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Omit<Full<Need, Code, I, O>, "facts"> & { readonly facts?: ToolFacts };

/** The pages that show answers of tools in the window of a chat, in clients with MCP Apps: decision 42. */
export const APPS = {
  approval: "ui://tuitbot/approval",
  postPreview: "ui://tuitbot/post-preview",
  analytics: "ui://tuitbot/analytics",
} as const;
