import { defineProduct, type SuccessNotes } from "@toolpact/contract";
import type { ConfigInForce } from "./config/config-in-force.ts";
import { errors } from "./errors.ts";
import { profiles } from "./profiles.ts";
import type { ServerState } from "./services/server-state.ts";
import type { X } from "./services/x.ts";

/** What tools may ask for. A tool that does not name a service cannot reach it. */
export interface Services {
  readonly x: X;
  readonly config: ConfigInForce;
  readonly server: ServerState;
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
  services: { x: "x_not_configured", config: "serialization_error", server: "serialization_error" },
});

export const { defineTool, defineActionTool, defineResource } = product;
