import type { AnyOutcome } from "../tool.ts";

/** The steps of a protected call. A product fills them in with its own storage and answers; it has no order of its own. */
export interface ProtectedSteps<Allowed> {
  /** Resolves what earlier processes left open. */
  readonly resolveLeftovers: () => Promise<void>;
  /** Answers a call that was made before. Sends nothing. */
  readonly answerRepeat: () => Promise<AnyOutcome | undefined>;
  /** Refuses the call while the operator has stopped calls like it. */
  readonly refuseStopped: () => Promise<AnyOutcome | undefined>;
  /** Refuses a call that could not be carried out if it were approved: not available, over a limit or the budget. */
  readonly refuseEarly: () => Promise<AnyOutcome | undefined>;
  /** Applies rules and approval. */
  readonly decide: () => Promise<Decided<Allowed>>;
  /** Stores a receipt, with the money and places it takes, runs the tool, and stores how it ended. */
  readonly run: (allowed: Allowed) => Promise<AnyOutcome>;
}

export type Decided<Allowed> =
  | { readonly kind: "allowed"; readonly allowed: Allowed }
  /** It was refused, or waits for an approver. */
  | { readonly kind: "answered"; readonly outcome: AnyOutcome };

/**
 * Runs the steps in the only order there is.
 *
 * - A repeat comes first. It sends nothing, so it uses up neither limits nor money nor an approval, and its caller gets
 *   the result of the first call while everything is stopped too.
 * - A stop comes before everything that could end in a new effect.
 * - Availability, limits and budget come before the approval, so nobody approves a call that could not run. `run` checks
 *   limits and budget again in the transaction that stores the receipt.
 * - The stop is checked again after the approval, because a decision may take minutes.
 */
export async function runProtected<Allowed>(steps: ProtectedSteps<Allowed>): Promise<AnyOutcome> {
  await steps.resolveLeftovers();
  const early = (await steps.answerRepeat()) ?? (await steps.refuseStopped()) ?? (await steps.refuseEarly());
  if (early !== undefined) return early;
  const decided = await steps.decide();
  if (decided.kind === "answered") return decided.outcome;
  return (await steps.refuseStopped()) ?? steps.run(decided.allowed);
}
