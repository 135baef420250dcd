import { EFFECTS, type JsonObject, type Tool } from "@toolpact/contract";
import type { Catalog } from "@toolpact/contract/internal";
import { type Action, type OperationId, operations } from "@toolpact/x-api";
import { operationRow, type PolicyCategory } from "../../x/operation-table.ts";
import type { PostRequest } from "../../x/toolkit/write.ts";

/** Beyond the contract's. Everything else derives from them. */
export interface ToolFacts {
  /** Main operation first, without lookups of users. */
  readonly operations?: readonly OperationId[];
  /** Changes only this product's state. */
  readonly isLocal?: true;
  /** Makes calls of other tools that go to X. */
  readonly makesCalls?: true;
  readonly publishes?: "post" | "reply" | "quote" | "thread" | "any";
  /** If it does not follow from the operation. */
  readonly policyCategory?: PolicyCategory;
  /** If it does not follow from the operation. */
  readonly action?: Action;
  /** The undo call's arguments; default the ids in this call's. Undefined if it cannot be undone. */
  readonly undo?: (input: JsonObject, result: JsonObject) => Undo | undefined;
  /** Default: derived from the operation. */
  readonly undoTool?: string;
  /** Needed on most days: reading, replying, own posts, drafts, approvals and results. */
  readonly everyday?: true;
  /** X has removed it. Callable, but neither listed nor found. */
  readonly alwaysFails?: true;
  /** In older configurations, besides its name without `x_`. */
  readonly olderNames?: readonly string[];
}

export interface Undo {
  readonly params?: JsonObject;
  readonly calls?: readonly JsonObject[];
  readonly note?: string;
}

/** From the arguments. A tool that sends one request needs no plan. */
export interface CallPlan {
  /** In order. */
  readonly posts?: readonly PostRequest[];
  /** Besides those of `posts`. */
  readonly mediaIds?: readonly string[];
  readonly file?: string;
  /** As worded by the caller. */
  readonly request?: RequestPlan;
  /** Its rules apply to this call too. */
  readonly sameAs?: string | undefined;
  /** Default: the first one. */
  readonly pays?: OperationId;
  /** With these arguments. */
  readonly isDryRun?: boolean;
}

export interface RequestPlan {
  /** Undefined outside X's table. */
  readonly operation: OperationId | undefined;
  /** The path's parameters. */
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isAds: boolean;
}

export type TuitbotTool = Tool<ToolFacts, CallPlan>;

export type TuitbotCatalog = Catalog<ToolFacts, CallPlan>;

export function writeOperation({ operations: sent = [] }: ToolFacts): OperationId | undefined {
  return sent.find((operation) => operations[operation].method !== "GET");
}

export function actionOf(facts: ToolFacts): Action | undefined {
  return facts.action ?? operationRow(writeOperation(facts))?.action;
}

/** The caller words the request. */
export function isRaw({ operations: sent, policyCategory, action, isLocal }: ToolFacts): boolean {
  return sent === undefined && policyCategory === undefined && action === undefined && isLocal !== true;
}

export function canReply({ publishes }: ToolFacts): boolean {
  return publishes === "reply" || publishes === "any";
}

export function isUpload(facts: ToolFacts): boolean {
  return operationRow(writeOperation(facts))?.isPreparation === true;
}

/** In `utility-write`. An upload publishes nothing, so it can be repeated. */
export function refusesRepeats({ effects, facts }: Pick<TuitbotTool, "effects" | "facts">): boolean {
  return effects.some((effect) => EFFECTS[effect].guarded) && !isUpload(facts);
}

export function scopesOf(tools: readonly ToolFacts[]): readonly string[] {
  const scopes = tools
    .flatMap((facts) => facts.operations ?? [])
    .flatMap((id) => operations[id].auth)
    .flatMap((auth) => (auth.scheme === "oauth2" ? auth.scopes : []));
  return [...new Set(scopes)].sort();
}

/** In order. */
export function mediaIdsOf({ posts = [], mediaIds = [] }: CallPlan): readonly string[] {
  return [...posts.flatMap((post) => post.mediaIds ?? []), ...mediaIds];
}
