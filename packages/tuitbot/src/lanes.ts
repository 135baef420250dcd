import {
  type Clock,
  deadline,
  idempotency,
  lane,
  type SealedLane,
  successEnvelope,
  type WorkflowState,
} from "@toolpact/contract";
import { errors } from "./errors.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "./profiles.ts";
import { createSpending, type Spending } from "./services/spending.ts";

export interface LaneSetting {
  /** Mode and approval as they are when a call ends. */
  readonly state: () => WorkflowState;
  readonly spending: Spending;
  readonly clock?: Clock | undefined;
}

/**
 * The one lane of a profile. Reading its guards tells everything that can happen to a call there:
 *
 * | profiles | guards | answers |
 * |---|---|---|
 * | utility | deadline, idempotency | bare: no timing |
 * | readonly, api-readonly | deadline, spending | timed |
 * | write, admin | deadline, idempotency, spending | with mode and approval |
 */
export function laneFor(profile: Profile, { state, spending, clock }: LaneSetting): SealedLane {
  const inTime = deadline(errors, clock);
  const notTwice = idempotency({ errors, ...(clock && { clock }) });
  const dialects = successEnvelope(errors);
  if (isUtilityProfile(profile))
    return lane({ name: "toolkit", guards: [inTime, notTwice], dialect: dialects.bare });
  if (isWorkflowProfile(profile))
    return lane({
      name: "workflow",
      guards: [inTime, notTwice, spending.guard],
      dialect: dialects.workflow(state),
    });
  return lane({ name: "read", guards: [inTime, spending.guard], dialect: dialects.timed });
}

/** The lane of a profile as manifests describe it, where nothing is ever called. */
export function describedLane(profile: Profile): SealedLane {
  return laneFor(profile, {
    state: () => ({ mode: "autopilot", approval_mode: true }),
    spending: createSpending(),
  });
}
