import { EFFECTS, type JsonObject, type Tool } from "@toolpact/contract";
import type { Catalog } from "@toolpact/contract/internal";
import { type Action, type OperationId, operations } from "@toolpact/x-api";
import { operationRow, type PolicyCategory } from "../../x/operation-table.ts";
import type { PostRequest } from "../../x/toolkit/write.ts";

/** Facts about a tool before any call, beyond the contract's. Everything else is derived. */
export interface ToolFacts {
  /**
   * The X operations that a call may send, main operation first, apart from looking up the signed-in user and @names.
   */
  readonly operations?: readonly OperationId[];
  /** It changes nothing but this product's own state. */
  readonly isLocal?: true;
  /** It makes calls of other tools that go to X. */
  readonly makesCalls?: true;
  /** The kind of content that a call publishes. */
  readonly publishes?: "post" | "reply" | "quote" | "thread" | "any";
  /** Its category in policy rules, if that does not follow from the operation. */
  readonly policyCategory?: PolicyCategory;
  /** The plan-restricted action it performs, if that does not follow from the operation. */
  readonly action?: Action;
  /**
   * How the tool that undoes it is called after this call: with the ids among its arguments, where this is left out.
   * Undefined where this call cannot be undone.
   */
  readonly undo?: (input: JsonObject, result: JsonObject) => Undo | undefined;
  /** The tool that undoes it. The catalog derives it from the operation, so most declarations omit it. */
  readonly undoTool?: string;
  /** One of the tools that most days need: reading, replying, own posts and drafts, approvals and results. */
  readonly everyday?: true;
  /** X has removed what it does: it can be called, and is neither listed nor found. */
  readonly alwaysFails?: true;
  /** Names in older configurations, in addition to its own without `x_`. */
  readonly olderNames?: readonly string[];
}

export interface Undo {
  readonly params?: JsonObject;
  /** Arguments of several calls, in order. */
  readonly calls?: readonly JsonObject[];
  readonly note?: string;
}

/** The planned requests of one call, derived from its arguments. A tool that sends one request needs none. */
export interface CallPlan {
  /** Posts that it would publish, in order. */
  readonly posts?: readonly PostRequest[];
  /** Uploads it would publish, in addition to those of `posts`. */
  readonly mediaIds?: readonly string[];
  /** The file that it would upload. */
  readonly file?: string;
  /** The request that the caller words itself. */
  readonly request?: RequestPlan;
  /** The equivalent tool, whose rules apply to this call too. */
  readonly sameAs?: string | undefined;
  /** The operation that it is charged for, where that is not the first that its tool names. */
  readonly pays?: OperationId;
  /** It changes nothing with these arguments. */
  readonly isDryRun?: boolean;
}

export interface RequestPlan {
  /** Undefined for a request that X's table does not have. */
  readonly operation: OperationId | undefined;
  /** Values of the parameters in its path. */
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** It goes to X's Ads API. */
  readonly isAds: boolean;
}

/** A tool with the facts of this product. */
export type TuitbotTool = Tool<ToolFacts, CallPlan>;

export type TuitbotCatalog = Catalog<ToolFacts, CallPlan>;

/** The operation by which the tool changes something at X. */
export function writeOperation({ operations: sent = [] }: ToolFacts): OperationId | undefined {
  return sent.find((operation) => operations[operation].method !== "GET");
}

/** The plan-restricted action this tool performs, if any. */
export function actionOf(facts: ToolFacts): Action | undefined {
  return facts.action ?? operationRow(writeOperation(facts))?.action;
}

/** Whether a call sends a request that the caller words itself. */
export function isRaw({ operations: sent, policyCategory, action, isLocal }: ToolFacts): boolean {
  return sent === undefined && policyCategory === undefined && action === undefined && isLocal !== true;
}

/** Whether a call may answer a post of somebody else. */
export function canReply({ publishes }: ToolFacts): boolean {
  return publishes === "reply" || publishes === "any";
}

/** Whether a call uploads a file that it names. */
export function isUpload(facts: ToolFacts): boolean {
  return operationRow(writeOperation(facts))?.isPreparation === true;
}

/** Whether `utility-write` refuses repeats of a tool. An upload publishes nothing, so it can be made again. */
export function refusesRepeats({ effects, facts }: Pick<TuitbotTool, "effects" | "facts">): boolean {
  return effects.some((effect) => EFFECTS[effect].guarded) && !isUpload(facts);
}

/** The scopes that the signed-in account must have granted for these tools. */
export function scopesOf(tools: readonly ToolFacts[]): readonly string[] {
  const scopes = tools
    .flatMap((facts) => facts.operations ?? [])
    .flatMap((id) => operations[id].auth)
    .flatMap((auth) => (auth.scheme === "oauth2" ? auth.scopes : []));
  return [...new Set(scopes)].sort();
}

/** Ids of the uploads that a call would publish, in order. */
export function mediaIdsOf({ posts = [], mediaIds = [] }: CallPlan): readonly string[] {
  return [...posts.flatMap((post) => post.mediaIds ?? []), ...mediaIds];
}
