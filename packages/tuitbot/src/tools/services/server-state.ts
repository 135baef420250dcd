import type { Missing, Outcome } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { KnownTool } from "../../mutation/plan.ts";
import type { Profile } from "../../profiles.ts";
import type { Writer } from "../../writing/llm.ts";
import type { Connection } from "../../x/connection.ts";
import type { WorkflowStatus } from "./workflow-status.ts";

/** What this server knows of itself. */
export interface ServerState {
  readonly profile: Profile;
  readonly version: string;
  /** The tools this client was given. */
  readonly tools: readonly KnownTool[];
  /** The operator's plan at X and what it allows. */
  readonly access: Access;
  /** Whether X can be used now; asks X where that is not known. Never fails. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
  /** The state of the database and what is in it; undefined in profiles that store nothing. Never fails. */
  readonly workflowStatus?: ((signal: AbortSignal) => Promise<WorkflowStatus>) | undefined;
  /** The language model that writes, or why there is none; undefined in profiles without one. Sends it nothing, since that costs money. */
  readonly writer?: ((signal: AbortSignal) => Promise<Outcome<Writer, Missing>>) | undefined;
}
