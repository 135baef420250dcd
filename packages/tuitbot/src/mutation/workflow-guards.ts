import type { Clock, Guard, JsonObject } from "@toolpact/contract";
import type { Access, XClient } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import type { OpenSession, Session } from "../storage/session.ts";
import { auditGuard } from "./audit/audit-guard.ts";
import type { Telemetry } from "./audit/telemetry-guard.ts";
import { availabilityGuard } from "./availability-guard.ts";
import { type BudgetCaps, newBill } from "./budget/bill.ts";
import { budgetGuard } from "./budget/budget-guard.ts";
import { budgetLedger } from "./budget/ledger.ts";
import { meteredClient } from "./budget/metered-client.ts";
import { rememberUpload } from "./media-bytes.ts";
import { openGuard } from "./open-guard.ts";
import type { ApprovalStorage } from "./policy/ask-for-approval.ts";
import type { Policy } from "./policy/policy.ts";
import { policyGuard } from "./policy/policy-guard.ts";
import { receiptStorage } from "./receipts/kysely-receipts.ts";
import { readBack } from "./receipts/read-back.ts";
import { receiptGuard } from "./receipts/receipt-guard.ts";
import { type Settling, settleAll } from "./receipts/settle.ts";
import { isRepetition, xRequestRules } from "./receipts/x-requests.ts";
import { repeatGuard } from "./repeat/repeat-guard.ts";
import { safetyGuard } from "./safety/safety-guard.ts";

export interface WorkflowSetting {
  readonly session: OpenSession;
  readonly telemetry: Telemetry;
  /** For reading back: without a bill of its own. */
  readonly client: XClient;
  /** For what a guard asks on behalf of a call: on the bill of the call. */
  readonly callClient: XClient;
  readonly access: Access;
  readonly policy: Policy;
  readonly config: Pick<Config, "limits" | "business" | "scoring">;
  readonly caps: BudgetCaps;
  readonly approvals: (session: Session) => ApprovalStorage;
  readonly approvalLifeMs: number;
  readonly mediaRoots: readonly string[];
  readonly clock: Clock;
  /** Longest wait for one answer of X. */
  readonly timeoutMs: number;
}

/** What stands between a call of a workflow profile and its tool, behind the deadline. */
export interface WorkflowGuards {
  readonly reads: readonly Guard<unknown, unknown, JsonObject>[];
  /** For reads of what this product stores. */
  readonly stored: readonly Guard<unknown, unknown, JsonObject>[];
  /** One list for agents, the command line, approvals and scheduled posts: nothing publishes around it. */
  readonly mutations: readonly Guard<unknown, unknown, JsonObject>[];
  /** For tools that change nothing but this product's own state. */
  readonly local: readonly Guard<unknown, unknown, JsonObject>[];
  /** Settles what earlier processes left behind; quick when there is nothing. */
  readonly settleLeftovers: (session: Session, signal: AbortSignal) => Promise<void>;
  /** For how long a call holds its receipt. */
  readonly leaseMs: number;
}

export function workflowGuards(setting: WorkflowSetting): WorkflowGuards {
  const { session, telemetry, client, clock, caps } = setting;
  const now = () => clock.now();
  const leaseMs = setting.timeoutMs + LEASE_MARGIN_MS;
  const settlingFor = (session: Session, signal: AbortSignal): Settling => {
    const storage = receiptStorage(session);
    const reading = {
      client: withoutBudgetCap(client, session, now),
      me: session.account,
      isTaken: storage.hasMade,
    };
    return {
      storage,
      rules: xRequestRules,
      readBack: (step, signal) => readBack(step, { ...reading, signal }),
      now,
      leaseMs,
      signal,
    };
  };
  const settleLeftovers = leftovers(settlingFor, now);
  const audit = auditGuard({ session, settleLeftovers, now });
  const budget = budgetGuard({ caps, now, session });
  return {
    reads: [telemetry.guard, budget],
    stored: [telemetry.guard, openGuard(session), budget],
    mutations: [
      telemetry.guard,
      audit,
      repeatGuard(settlingFor),
      availabilityGuard(setting.access),
      budget,
      safetyGuard({ config: setting.config, client: setting.callClient, access: setting.access, now }),
      policyGuard({ ...setting, now }),
      receiptGuard({
        settlingFor,
        caps,
        rules: xRequestRules,
        isRepetition,
        onDone: ({ input, warn }, session, result) =>
          rememberUpload(session, { input, result, roots: setting.mediaRoots, now: now(), warn }),
        leaseMs,
        now,
      }),
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

function leftovers(settlingFor: (session: Session, signal: AbortSignal) => Settling, now: () => number) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (session: Session, signal: AbortSignal): Promise<void> => {
    if (now() < nextAt) return;
    nextAt = now() + LOOK_AGAIN_MS;
    await settleAll(settlingFor(session, signal));
  };
}

/** Reading back is on the ledger like every read, but no cap keeps it from being done. */
function withoutBudgetCap(client: XClient, session: Session, now: () => number): XClient {
  const ledger = budgetLedger(session);
  return meteredClient(client, newBill({ callId: "settle", tool: "settle", ledger, caps: {}, now }));
}
