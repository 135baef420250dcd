import type { Clock } from "@toolpact/contract";
import { leftoverResolver, newBill } from "@toolpact/contract/internal/guards";
import { type RawSender, withCallDefaults } from "@toolpact/x-api";
import type { XConnection } from "../x/connect-x.ts";
import type { X } from "../x/x.ts";
import { isAsShown, readContext, subjectOf } from "./approval/approval-context.ts";
import { rememberUpload } from "./approval/media-bytes.ts";
import { BY_ITSELF, meteredClient, meteredSend } from "./budget/bill.ts";
import type { Account, CallContext } from "./call/call-context.ts";
import type { BudgetDependencies } from "./mutation/budget.ts";
import type { ChangeDependencies, PolicyDependencies } from "./mutation/policy.ts";
import type { ProtectDependencies } from "./mutation/protect.ts";
import type { SafetyDependencies } from "./mutation/safety.ts";
import { readBack } from "./receipts/read-back.ts";
import { isRepetition, xRequestRules } from "./receipts/x-requests.ts";
import type { AccountDependencies } from "./stack/caller-guards.ts";

export type GuardDependencies = AccountDependencies & ProtectDependencies & { readonly clock: Clock };

export interface GuardSetting
  extends Pick<SafetyDependencies, "settings" | "read" | "secondOpinion">,
    Pick<BudgetDependencies, "caps">,
    Omit<PolicyDependencies, "now" | "contextOf" | "isAsShown"> {
  readonly openAccount: AccountDependencies["openAccount"];
  readonly openStored: AccountDependencies["openStored"];
  readonly openLedger?: AccountDependencies["openLedger"];
  readonly connection: XConnection;
  readonly clock: Clock;
  /** For one request. */
  readonly timeoutMs: number;
  /** After its caller has given up. */
  readonly lateEffectMs: number;
}

export function guardDependencies(setting: GuardSetting): GuardDependencies {
  const { connection, timeoutMs, mediaRoots } = setting;
  const { xTime } = connection;
  const now = () => xTime.now();
  const leaseMs = (timeoutMs + LEASE_MARGIN_MS) * xTime.speed;
  const resolverFor: ProtectDependencies["resolverFor"] = ({ account, receipts, ledger }, signal, ofCall) => {
    // Counted, but without a cap.
    const bill = newBill({ callId: "settle", tool: "settle", by: BY_ITSELF, ledger, caps: {}, now });
    const reading = {
      client: meteredClient(connection.client, bill),
      me: account,
      isTaken: receipts.hasMade,
    };
    return {
      storage: receipts,
      service: "X",
      rules: xRequestRules,
      async readBack(step, signal) {
        const before = bill.readMicros;
        const found = await readBack(step, { ...reading, signal });
        if (ofCall !== undefined) ofCall.readMicros += bill.readMicros - before;
        return found;
      },
      time: xTime,
      leaseMs,
      signal,
    };
  };
  const resolve = leftoverResolver(resolverFor, now);
  /** For X's time in the answer. */
  async function askAgain({ ledger }: Account, signal: AbortSignal): Promise<void> {
    const bill = newBill({ callId: "session", tool: "session", by: BY_ITSELF, ledger, caps: {}, now });
    await meteredClient(connection.client, bill).call("getUsersMe", { signal });
  }
  return {
    ...setting,
    access: connection.access,
    now,
    xTime,
    leaseMs,
    resolverFor,
    async resolveLeftovers(account, signal) {
      for (let asked = 0; xTime.isDisputed && asked < MAX_QUESTIONS; asked++) await askAgain(account, signal);
      await resolve(account, signal);
    },
    ...contextReading(connection, setting.clock),
    clientFor: (bill) => xForCall(connection, bill === undefined ? {} : { bill }).client,
    rules: xRequestRules,
    isRepetition,
    onDone: ({ input, warn, context }, result) =>
      rememberUpload(context.account, { input, result, roots: mediaRoots, now: now(), warn }),
  };
}

/** Optional for a decision, so X gets little time. */
function contextReading(
  connection: XConnection,
  clock: Clock,
): Pick<ChangeDependencies, "contextOf" | "isAsShown"> {
  return {
    async contextOf(call, account, bill) {
      const { client } = xForCall(connection, bill === undefined ? {} : { bill });
      const inTime = new AbortController();
      const cancel = clock.after(CONTEXT_MS, () => inTime.abort());
      const signal = AbortSignal.any([call.signal, inTime.signal]);
      try {
        const me = await connection.me(signal);
        const reading = { client, account: me.ok ? me.value.username : undefined, now: clock.now(), signal };
        return await readContext(subjectOf(call, account), reading);
      } finally {
        cancel();
      }
    },
    isAsShown(shown, call, account, bill) {
      const { client } = xForCall(connection, bill === undefined ? {} : { bill });
      return isAsShown(shown, subjectOf(call, account), { client, signal: call.signal });
    },
  };
}

const CONTEXT_MS = 5_000;

/** Enough for two that agree, even with a wrong one. */
const MAX_QUESTIONS = 3;

/** Time to record the outcome. */
const LEASE_MARGIN_MS = 15_000;

/** Reads go on the bill, changes into the journal. */
export function xForCall(
  connection: XConnection,
  { bill, journal }: Pick<CallContext, "bill" | "journal">,
): X {
  if (bill === undefined && journal === undefined) return connection;
  const { sendToAds } = connection;
  const recorded =
    journal === undefined ? connection.client : withCallDefaults(connection.client, { journal });
  const client = bill === undefined ? recorded : meteredClient(recorded, bill);
  const sending = (send: RawSender): RawSender => {
    const recording: RawSender = (request, args) => send(request, { ...(journal && { journal }), ...args });
    return bill === undefined ? recording : meteredSend(recording, bill);
  };
  return {
    ...connection,
    client,
    send: sending(connection.send),
    ...(sendToAds !== undefined && { sendToAds: sending(sendToAds) }),
    me: (signal) => connection.me(signal, client),
  };
}
