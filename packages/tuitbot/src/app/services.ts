import type { Clock, Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { Missing } from "@toolpact/contract/internal";
import type { BudgetCaps } from "@toolpact/contract/internal/guards";
import type { Access } from "@toolpact/x-api";
import type { QueuedMutation } from "../approval/item.ts";
import type { CallResult, ReleaseContext } from "../approval/release.ts";
import type { EffectiveConfig } from "../config/effective-config.ts";
import type { Config } from "../config/schema.ts";
import type { RepliesTo } from "../discovery/remember.ts";
import type { AskToSchedule } from "../drafts/schedule.ts";
import type { ApprovalContext } from "../guards/approval/approval-context.ts";
import type { XBill } from "../guards/budget/bill.ts";
import type { Release } from "../guards/call/call-context.ts";
import type { TuitbotTool } from "../guards/call/tool-facts.ts";
import type { Policy } from "../guards/policy/policy.ts";
import type { Preview } from "../guards/preview.ts";
import type { Profile } from "../profiles.ts";
import type { Session } from "../storage/store.ts";
import type { Llm, Writer } from "../writing/llm.ts";
import type { Connection } from "../x/connection.ts";
import type { X } from "../x/x.ts";
import type { WorkflowStatus } from "./workflow-status.ts";

/** Tools and use cases name those they need, and reach no other. */
export interface Services {
  readonly x: X;
  readonly config: EffectiveConfig;
  readonly server: ServerState;
  /** As the two below, only in profiles with policy and approval. */
  readonly db: Session;
  readonly approvals: ReleaseContext;
  readonly workflow: Workflow;
  readonly llm: Llm;
}

export interface ServerState {
  readonly profile: Profile;
  readonly version: string;
  readonly tools: readonly TuitbotTool[];
  /** Set if fewer tools are listed than can be called. */
  readonly toolList?: ToolList | undefined;
  /** Those that these tools can carry out. */
  readonly guides?: () => readonly Guide[];
  /** The plan at X and what it allows. */
  readonly access: Access;
  /** Asks X if unknown. Never fails. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
  /** Undefined if nobody is signed in. Does not ask X. */
  readonly signInId: () => Promise<string | undefined>;
  /** Undefined in profiles that store nothing. Never fails. */
  readonly workflowStatus?: ((signal: AbortSignal) => Promise<WorkflowStatus>) | undefined;
  /** Undefined in profiles without a file of recent calls. */
  readonly recentCalls?: (() => Promise<Outcome<unknown, string>>) | undefined;
  /** Undefined in profiles that store nothing. */
  readonly repliesTo?:
    | ((ids: readonly string[], signal: AbortSignal) => Promise<RepliesTo | undefined>)
    | undefined;
  /** Or why there is none; undefined in profiles without one. Sends the model nothing. */
  readonly writer?: ((signal: AbortSignal) => Promise<Outcome<Writer, Missing>>) | undefined;
}

export interface ToolList {
  readonly isListed: (tool: string) => boolean;
  /** Resolves once the client has listed them, or after a second. */
  readonly switchOn: (tools: readonly string[]) => Promise<void>;
}

/** A skill or prompt for several tools. */
export interface Guide {
  readonly name: string;
  readonly description: string;
  /** Absent for a prompt, which the user starts. */
  readonly text?: string;
}

export interface Workflow {
  readonly policy: Policy;
  readonly caps: BudgetCaps;
  readonly access: Access;
  /** Asks X who is signed in, once; without it, `now` may be this machine's time. */
  readonly checkSignIn: (signal: AbortSignal) => Promise<Outcome<unknown, Failure>>;
  /** Undefined if nobody is signed in. Does not ask X. */
  readonly signInId: () => Promise<string | undefined>;
  /** Read anew each time. */
  readonly approvalKey: () => Promise<Outcome<Uint8Array, Failure>>;
  /** For work that is no call. */
  readonly xFor: (bill: XBill) => X;
  readonly approvals: Config["approvals"];
  readonly slots: Pick<Config["schedule"], "posting_slots" | "timezone">;
  readonly mediaRoots: readonly string[];
  readonly maxBatch: number;
  readonly now: () => number;
  readonly after: Clock["after"];
  /** Without a request, and without counting. `input` is parsed. */
  readonly preview: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<Outcome<Preview & { readonly input: JsonObject }, Failure>>;
  /** As far as X answers in time; undefined if the call is no longer accepted. */
  readonly readContext: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<ApprovalContext | undefined>;
  /** A call nobody typed, such as a loop's, with the guards of an agent's. The audit names `by`. */
  readonly call: (
    tool: string,
    args: JsonObject,
    by: string,
    signal: AbortSignal,
    release?: Release,
  ) => Promise<CallResult>;
  /** Undefined if no approval is needed. */
  readonly askToSchedule: AskToSchedule;
  /** Approved and unchanged since. */
  readonly approvedItem: (id: number, signal: AbortSignal) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Resolves unknown outcomes, and continues approved calls. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Or why there is none. */
  readonly llm: (signal: AbortSignal) => Promise<Outcome<Llm, Missing>>;
  /** Before the table is read. */
  readonly flushTelemetry: () => Promise<void>;
}
