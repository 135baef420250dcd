import {
  type Clock,
  deadline,
  EFFECTS,
  idempotency,
  lane,
  type SealedLane,
  successEnvelope,
  type Tool,
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
 * The lanes of a profile. Reading the guards tells everything that can happen to a call there:
 *
 * | profiles | reads | what changes something | answers |
 * |---|---|---|---|
 * | utility | deadline | deadline, idempotency | bare: no timing |
 * | readonly, api-readonly | deadline, spending | there is none | timed |
 * | write, admin | deadline, spending | deadline, idempotency, spending | with mode and approval |
 */
export function lanesFor(
  profile: Profile,
  { state, spending, clock }: LaneSetting,
): (tool: Tool) => SealedLane {
  const inTime = deadline(errors, clock);
  const notTwice = idempotency({ errors, ...(clock && { clock }) });
  const dialects = successEnvelope(errors);
  if (isUtilityProfile(profile)) {
    const { bare: dialect } = dialects;
    const reads = lane({ name: "toolkit read", guards: [inTime], dialect });
    const changes = lane({ name: "toolkit", guards: [inTime, notTwice], dialect });
    return (tool) => (isGuarded(tool) ? changes : reads);
  }
  if (isWorkflowProfile(profile)) {
    const dialect = dialects.workflow(state);
    const reads = lane({ name: "workflow read", guards: [inTime, spending.guard], dialect });
    const changes = lane({ name: "workflow", guards: [inTime, notTwice, spending.guard], dialect });
    return (tool) => (isGuarded(tool) ? changes : reads);
  }
  const reads = lane({ name: "read", guards: [inTime, spending.guard], dialect: dialects.timed });
  return () => reads;
}

/** The lanes of a profile as manifests describe them, where nothing is ever called. */
export function describedLanes(profile: Profile): (tool: Tool) => SealedLane {
  return lanesFor(profile, {
    state: () => ({ mode: "autopilot", approval_mode: true }),
    spending: createSpending(),
  });
}

function isGuarded({ effects }: Tool): boolean {
  return effects.some((effect) => EFFECTS[effect].guarded);
}
