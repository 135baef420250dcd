import { AsyncLocalStorage } from "node:async_hooks";
import type { Next } from "@toolpact/contract";
import type { Session } from "../storage/session.ts";
import type { Micros } from "./budget/money.ts";
import type { Mutation } from "./plan.ts";
import type { CallIdentity } from "./receipts/call-identity.ts";
import type { Needs } from "./receipts/holds.ts";
import type { Receipt } from "./receipts/standing.ts";

/** What the guards of one mutation tell each other. */
export interface MutationContext extends Session {
  /** Its price may turn out to be lower on the way. */
  mutation: Mutation;
  readonly identity: CallIdentity;
  /** The approval that releases it, if one does. */
  readonly release: Release | undefined;
  /** What the policy said, for the audit. */
  decision: string;
  ruleId: string | undefined;
  approvalId: number | undefined;
  receiptId: string | undefined;
  limits: Needs["limits"];
  /** The post of somebody else that it answers. */
  answers: string | undefined;
  /** What X has charged for it; undefined while that is not known. */
  paid: Micros | undefined;
  /** It was done before; only its answer has to be found again, and nothing may be sent. */
  rebuilds: Receipt | undefined;
}

/** What a guard answers with, or gets from the guards behind it. */
export type GuardOutcome = Awaited<ReturnType<Next>>;

/** A person's approval on its way through the pipeline. It cannot be made by anything that comes from a client. */
export interface Release {
  readonly approvalId: number;
  readonly tool: string;
  readonly argsDigest: string;
}

export const mutationContexts: AsyncLocalStorage<MutationContext> = new AsyncLocalStorage();

export const releases: AsyncLocalStorage<Release> = new AsyncLocalStorage();
