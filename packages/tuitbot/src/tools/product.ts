import { defineProduct, type SuccessNotes } from "@toolpact/contract";
import type * as z from "zod";
import type { ReleaseContext } from "../approval/release.ts";
import type { ConfigInForce } from "../config/config-in-force.ts";
import { type ErrorCode, errors } from "../errors.ts";
import type { Annotations, CallContext } from "../mutation/call-context.ts";
import type { KnownTool, Plan, ToolFacts } from "../mutation/plan.ts";
import { profiles } from "../profiles.ts";
import type { Session } from "../storage/session.ts";
import type { Llm } from "../writing/llm.ts";
import type { X } from "../x/x.ts";
import type { ServerState } from "./services/server-state.ts";
import type { Workflow } from "./services/workflow.ts";

/** What tools may ask for. A tool that does not name a service cannot reach it. */
export interface Services {
  readonly x: X;
  readonly config: ConfigInForce;
  readonly server: ServerState;
  /** The database and whose it is. Like the two below only in the profiles that run under policy and approval. */
  readonly db: Session;
  /** What it takes to carry out what a person has approved. */
  readonly approvals: ReleaseContext;
  readonly workflow: Workflow;
  readonly llm: Llm;
}

export const product = defineProduct<{
  services: Services;
  notes: SuccessNotes;
  facts: ToolFacts;
  plan: Plan;
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
>(declaration: Declaration<Need, Code, I, O>): KnownTool {
  return product.defineTool<Need, Code, I, O>({ facts: {}, ...declaration });
}

type Full<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Parameters<typeof product.defineTool<Need, Code, I, O>>[0];

/** A tool of which nothing more is known need not say so. */
type Declaration<
  Need extends keyof Services & string,
  Code extends ErrorCode,
  I extends z.ZodObject,
  O extends z.ZodType,
> = Omit<Full<Need, Code, I, O>, "facts"> & { readonly facts?: ToolFacts };
