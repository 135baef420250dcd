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

/** The services of an account. Tools and use cases name those that they need, and reach no other. */
export interface Services {
  readonly x: X;
  readonly config: EffectiveConfig;
  readonly server: ServerState;
  /** The database and whose it is. Like the two below only in the profiles that run under policy and approval. */
  readonly db: Session;
  /** Carries out approved calls. */
  readonly approvals: ReleaseContext;
  readonly workflow: Workflow;
  readonly llm: Llm;
}

/** The profile, version and tools of this server. */
export interface ServerState {
  readonly profile: Profile;
  readonly version: string;
  /** The tools this client was given. */
  readonly tools: readonly TuitbotTool[];
  /** Set if the list shows fewer tools than can be called. */
  readonly toolList?: ToolList | undefined;
  /** The skills and prompts that these tools can carry out. */
  readonly guides?: () => readonly Guide[];
  /** The operator's plan at X and what it allows. */
  readonly access: Access;
  /** Whether X can be used now; asks X where that is not known. Never fails. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
  /** Names the stored sign-in; undefined if nobody is signed in. X is not asked. */
  readonly signInId: () => Promise<string | undefined>;
  /** The state of the database and what is in it; undefined in profiles that store nothing. Never fails. */
  readonly workflowStatus?: ((signal: AbortSignal) => Promise<WorkflowStatus>) | undefined;
  /** Whether the recent calls can be read and written; undefined in profiles that do not remember them in a file. */
  readonly recentCalls?: (() => Promise<Outcome<unknown, string>>) | undefined;
  /** This account's replies among these posts; undefined in profiles that store nothing. */
  readonly repliesTo?:
    | ((ids: readonly string[], signal: AbortSignal) => Promise<RepliesTo | undefined>)
    | undefined;
  /** The language model that writes, or why there is none; undefined in profiles without one. Sends it nothing, since that costs money. */
  readonly writer?: ((signal: AbortSignal) => Promise<Outcome<Writer, Missing>>) | undefined;
}

/** The tools that clients are shown now. */
export interface ToolList {
  readonly isListed: (tool: string) => boolean;
  /** Shows these too from now on. Resolves once the client has asked for the new list, or after a second. */
  readonly switchOn: (tools: readonly string[]) => Promise<void>;
}

/** Instructions for a task that several tools do together: a skill or a prompt. */
export interface Guide {
  readonly name: string;
  readonly description: string;
  /** The instructions of a skill; a prompt is started by the user of a client. */
  readonly text?: string;
}

/** The rules in effect, and a preview of what a call would do under them. */
export interface Workflow {
  readonly policy: Policy;
  readonly caps: BudgetCaps;
  readonly access: Access;
  /** Has X say who is signed in, once; without it, `now` may be the time of this machine. */
  readonly checkSignIn: (signal: AbortSignal) => Promise<Outcome<unknown, Failure>>;
  /** Names the stored sign-in; undefined if nobody is signed in. X is not asked. */
  readonly signInId: () => Promise<string | undefined>;
  /** The key that binds approvals to their content, read anew. */
  readonly approvalKey: () => Promise<Outcome<Uint8Array, Failure>>;
  /** X with what is read put on this bill, for work that is no call. */
  readonly xFor: (bill: XBill) => X;
  readonly approvals: Config["approvals"];
  /** The posting slots, and the time zone in which they are. */
  readonly slots: Pick<Config["schedule"], "posting_slots" | "timezone">;
  /** Folders that media may be uploaded from. */
  readonly mediaRoots: readonly string[];
  /** Most items one approval may release. */
  readonly maxBatch: number;
  readonly now: () => number;
  readonly after: Clock["after"];
  /** Evaluates a call of an agent without a request and without counting it. `input` are its parsed arguments. */
  readonly preview: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<Outcome<Preview & { readonly input: JsonObject }, Failure>>;
  /** Reads the post or person that a call is about, as far as X answers in time; undefined if the call is no longer accepted. */
  readonly readContext: (
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ) => Promise<ApprovalContext | undefined>;
  /**
   * A call that nobody typed, such as a loop's, through the whole pipeline: with the same guards as an agent's. `by`
   * says in the audit who made it.
   */
  readonly call: (
    tool: string,
    args: JsonObject,
    by: string,
    signal: AbortSignal,
    release?: Release,
  ) => Promise<CallResult>;
  /** Returns a function that queues a later call for approval, or undefined if it needs none. */
  readonly askToSchedule: AskToSchedule;
  /** A scheduled item that a person has approved and that has not changed since. */
  readonly approvedItem: (id: number, signal: AbortSignal) => Promise<Outcome<QueuedMutation, Failure>>;
  /** Finds out what became of calls whose outcome is open, and goes on with approved ones; quick when there are none. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** The language model, or why there is none. */
  readonly llm: (signal: AbortSignal) => Promise<Outcome<Llm, Missing>>;
  /** Writes buffered measurements, for readers of the table. */
  readonly flushTelemetry: () => Promise<void>;
}
