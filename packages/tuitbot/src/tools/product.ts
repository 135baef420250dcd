import { defineProduct, type SuccessNotes } from "@toolpact/contract";
import type { Releasing } from "../approval/release.ts";
import type { ConfigInForce } from "../config/config-in-force.ts";
import { errors } from "../errors.ts";
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
  readonly approvals: Releasing;
  readonly workflow: Workflow;
  readonly llm: Llm;
}

export const product = defineProduct<Services, SuccessNotes>()({
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
  // Configuration and server state are always there: to be without them is a defect.
  services: {
    x: "x_not_configured",
    config: "serialization_error",
    server: "serialization_error",
    db: "db_error",
    approvals: "db_error",
    workflow: "serialization_error",
    llm: "llm_not_configured",
  },
});

export const { defineTool, defineResource } = product;
