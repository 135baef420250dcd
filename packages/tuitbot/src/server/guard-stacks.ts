import {
  type BoundStack,
  type Clock,
  deadline,
  EFFECTS,
  type EnvelopeFormat,
  type Guard,
  idempotency,
  type JsonObject,
  RecentCalls,
  type SuccessNotes,
  successEnvelope,
  systemClock,
  type Tool,
} from "@toolpact/contract";
import { errors } from "../errors.ts";
import { telemetry } from "../mutation/audit/telemetry-guard.ts";
import { factsOf } from "../mutation/plan.ts";
import { type WorkflowGuards, workflowGuards } from "../mutation/workflow-guards.ts";
import { isUtilityProfile, isWorkflowProfile, type Profile } from "../profiles.ts";
import { product } from "../tools/product.ts";
import { createSpending, type Spending } from "../x/spending.ts";

type StackFor = (tool: Tool) => BoundStack;

/**
 * The guards of the profiles that store nothing. Reading them tells everything that can happen to a call there:
 *
 * | profiles | reads | what changes something | answers |
 * |---|---|---|---|
 * | utility | deadline | deadline, idempotency | without timing |
 * | readonly, api-readonly | deadline, spending | there is none | with timing |
 */
export function plainStacks(profile: Profile, spending: Spending, clock: Clock = systemClock): StackFor {
  if (!isUtilityProfile(profile)) {
    const reads = stackOf("read", [spending.guard], successEnvelope(errors), clock);
    return () => reads;
  }
  const utility = product
    .guardStack("utility")
    .use(deadline)
    .use(idempotency)
    .answering(successEnvelope(errors, { timing: false }))
    .bind({ clock, recentCalls: new RecentCalls() });
  return () => utility;
}

/**
 * The guards of `write` and `admin`, whose answers also have mode and approval:
 *
 * | tools | guards |
 * |---|---|
 * | reads of X | deadline, telemetry, budget |
 * | reads of what is stored here | deadline, telemetry, open, budget |
 * | what changes something at X | deadline, telemetry, audit, repeat, availability, budget, safety, policy, receipt |
 * | what changes only what is stored here | deadline, telemetry, audit |
 */
export function workflowStacks(
  guards: WorkflowGuards,
  meta: () => JsonObject,
  clock: Clock = systemClock,
): StackFor {
  const format = successEnvelope(errors, { meta });
  const reads = stackOf("workflow read", guards.reads, format, clock);
  const stored = stackOf("workflow stored", guards.stored, format, clock);
  const mutations = stackOf("workflow", guards.mutations, format, clock);
  const local = stackOf("workflow local", guards.local, format, clock);
  return (tool) => {
    const { effects, needs } = tool;
    if (factsOf(tool).isLocal) return local;
    if (effects.some((effect) => EFFECTS[effect].mutates)) return mutations;
    return needs.includes("db") || needs.includes("approvals") ? stored : reads;
  };
}

function stackOf(
  name: string,
  guards: readonly Guard<unknown, unknown, JsonObject>[],
  format: EnvelopeFormat<JsonObject, SuccessNotes>,
  clock: Clock,
): BoundStack {
  let stack = product.guardStack(name).use(deadline);
  for (const guard of guards) stack = stack.use(guard);
  return stack.answering(format).bind({ clock });
}

/** The stacks of a profile as manifests describe them, where nothing is ever called. */
export function describedStacks(profile: Profile): StackFor {
  return isWorkflowProfile(profile)
    ? workflowStacks(describedGuards(), () => ({}))
    : plainStacks(profile, createSpending());
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
