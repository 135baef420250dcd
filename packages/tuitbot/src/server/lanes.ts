import {
  type Clock,
  deadline,
  EFFECTS,
  idempotency,
  lane,
  type SealedLane,
  successEnvelope,
  systemClock,
  type Tool,
  type WorkflowState,
} from "@toolpact/contract";
import { errors } from "../errors.ts";
import { telemetry } from "../mutation/audit/telemetry-guard.ts";
import { factsOf } from "../mutation/plan.ts";
import { type WorkflowGuards, workflowGuards } from "../mutation/workflow-guards.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "../profiles.ts";
import { createSpending, type Spending } from "../x/spending.ts";

type LaneOf = (tool: Tool) => SealedLane;

/**
 * The lanes of the profiles that keep nothing. Reading the guards tells everything that can happen to a call there:
 *
 * | profiles | reads | what changes something | answers |
 * |---|---|---|---|
 * | utility | deadline | deadline, idempotency | bare: no timing |
 * | readonly, api-readonly | deadline, spending | there is none | timed |
 */
export function plainLanes(profile: Profile, spending: Spending, clock?: Clock): LaneOf {
  const inTime = deadline(errors, clock);
  const { bare, timed } = successEnvelope(errors);
  if (!isUtilityProfile(profile)) {
    const reads = lane({ name: "read", guards: [inTime, spending.guard], dialect: timed });
    return () => reads;
  }
  const notTwice = idempotency({ errors, ...(clock && { clock }) });
  const reads = lane({ name: "toolkit read", guards: [inTime], dialect: bare });
  const changes = lane({ name: "toolkit", guards: [inTime, notTwice], dialect: bare });
  return ({ effects }) => (effects.some((effect) => EFFECTS[effect].guarded) ? changes : reads);
}

/**
 * The lanes of `write` and `admin`, whose answers also tell mode and approval:
 *
 * | tools | guards |
 * |---|---|
 * | reads of X | deadline, telemetry, budget |
 * | reads of what is kept here | deadline, telemetry, open, budget |
 * | what changes something at X | deadline, telemetry, audit, repeat, availability, budget, safety, policy, receipt |
 * | what changes only what is kept here | deadline, telemetry, audit |
 */
export function workflowLanes(guards: WorkflowGuards, state: () => WorkflowState, clock?: Clock): LaneOf {
  const dialect = successEnvelope(errors).workflow(state);
  const inTime = deadline(errors, clock);
  const reads = lane({ name: "workflow read", guards: [inTime, ...guards.reads], dialect });
  const stored = lane({ name: "workflow stored", guards: [inTime, ...guards.stored], dialect });
  const mutations = lane({ name: "workflow", guards: [inTime, ...guards.mutations], dialect });
  const local = lane({ name: "workflow local", guards: [inTime, ...guards.local], dialect });
  return (tool) => {
    const { effects, needs } = tool;
    if (factsOf(tool).isLocal) return local;
    if (effects.some((effect) => EFFECTS[effect].mutates)) return mutations;
    return needs.includes("db") || needs.includes("approvals") ? stored : reads;
  };
}

/** The lanes of a profile as manifests describe them, where nothing is ever called. */
export function describedLanes(profile: Profile): LaneOf {
  return isWorkflowProfile(profile)
    ? workflowLanes(describedGuards(), () => ({ mode: "autopilot", approval_mode: true }))
    : plainLanes(profile, createSpending());
}

function describedGuards(): WorkflowGuards {
  const never = () => {
    throw new Error("Nothing is called here.");
  };
  return workflowGuards({
    session: never,
    telemetry: telemetry({ session: () => undefined, clock: systemClock }),
    client: { call: never, rateWindows: never },
    callClient: { call: never, rateWindows: never },
    access: { plan: "self_serve", isPremium: false },
    policy: {} as never,
    config: {} as never,
    caps: {},
    approvals: never,
    approvalLifeMs: 0,
    mediaRoots: [],
    clock: systemClock,
    timeoutMs: 0,
  });
}
