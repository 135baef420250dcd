import type { Clock, Guard, PlainExtras } from "@toolpact/contract";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import type { OpenSession, Session } from "../storage/session.ts";
import { auditGuard } from "./audit/audit-guard.ts";
import type { Telemetry } from "./audit/telemetry-guard.ts";
import { availabilityGuard } from "./availability-guard.ts";
import { budgetGuard } from "./budget/budget-guard.ts";
import type { BudgetCaps } from "./budget/ledger.ts";
import { bills, newBill } from "./budget/metered-client.ts";
import { openGuard } from "./open-guard.ts";
import type { Policy } from "./policy/policy.ts";
import { policyGuard } from "./policy/policy-guard.ts";
import { receiptGuard } from "./receipts/receipt-guard.ts";
import { settleAll } from "./receipts/settle.ts";
import { repeatGuard, type SettlingFor } from "./repeat/repeat-guard.ts";
import { safetyGuard } from "./safety/safety-guard.ts";

export interface WorkflowSetting {
  readonly session: OpenSession;
  readonly telemetry: Telemetry;
  /** For reading back. */
  readonly client: XClient;
  readonly access: Access;
  readonly policy: () => Policy;
  readonly config: () => Pick<Config, "limits" | "business" | "scoring">;
  readonly caps: () => BudgetCaps;
  readonly approvalKey: () => Promise<Uint8Array>;
  readonly approvalLifeMs: () => number;
  readonly mediaRoots: () => readonly string[];
  readonly clock: Clock;
  /** Longest wait for one answer of X. */
  readonly timeoutMs: number;
}

/** What stands between a call of a workflow profile and its tool, behind the deadline. */
export interface WorkflowGuards {
  readonly reads: readonly Guard<PlainExtras>[];
  /** For reads of what this product keeps. */
  readonly kept: readonly Guard<PlainExtras>[];
  /** One list for agents, the command line, approvals and scheduled posts: nothing publishes around it. */
  readonly mutations: readonly Guard<PlainExtras>[];
  /** For tools that change nothing but this product's own state. */
  readonly local: readonly Guard<PlainExtras>[];
  /** Settles what earlier processes left behind; quick when there is nothing. */
  readonly settleLeftovers: (session: Session, signal: AbortSignal) => Promise<void>;
  /** For how long a call holds its receipt. */
  readonly leaseMs: number;
}

export function workflowGuards(setting: WorkflowSetting): WorkflowGuards {
  const { session, telemetry, client, clock, caps } = setting;
  const now = () => clock.now();
  const leaseMs = setting.timeoutMs + LEASE_MARGIN_MS;
  const settlingFor: SettlingFor = ({ store, account }, signal) => ({
    store,
    account,
    client: onTheHouse(client, { store, account }, now),
    now,
    leaseMs,
    signal,
  });
  const settleLeftovers = leftovers(client, leaseMs, now);
  const audit = auditGuard({ session, settleLeftovers, now });
  const budget = budgetGuard({ caps, now, session });
  return {
    reads: [telemetry.guard, budget],
    kept: [telemetry.guard, openGuard(session), budget],
    mutations: [
      telemetry.guard,
      audit,
      repeatGuard(settlingFor),
      availabilityGuard(() => setting.access),
      budget,
      safetyGuard({ config: setting.config, client, access: setting.access, now }),
      policyGuard({ ...setting, now }),
      receiptGuard({ settlingFor, caps, mediaRoots: setting.mediaRoots, leaseMs, now }),
    ],
    local: [telemetry.guard, audit],
    settleLeftovers,
    leaseMs,
  };
}

/** A call holds its receipt for as long as one request may take, and this long to write down how it ended. */
const LEASE_MARGIN_MS = 15_000;

/** Before the first mutation, and then now and then: other processes on the same database may have died since. */
const LOOK_AGAIN_MS = 60_000;

function leftovers(client: XClient, leaseMs: number, now: () => number) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (session: Session, signal: AbortSignal): Promise<void> => {
    if (now() < nextAt) return;
    nextAt = now() + LOOK_AGAIN_MS;
    await settleAll({ ...session, client: onTheHouse(client, session, now), now, leaseMs, signal });
  };
}

/** Reading back is on the ledger like every read, but no cap keeps it from being done. */
function onTheHouse(client: XClient, session: Session, now: () => number): XClient {
  return {
    ...client,
    call: (operation, args) =>
      bills.run(newBill({ ...session, callId: "settle", tool: "settle", caps: {}, now }), () =>
        client.call<never>(operation, args),
      ),
  };
}
