import { type Caller, EFFECTS, type Failure, type Outcome } from "@toolpact/contract";
import { type Agent, agentName } from "../../agents/agent.ts";
import type { ErrorCode } from "../../errors.ts";
import { orStorageFailure } from "../../storage/storage-error.ts";
import type { AccountLedger } from "../budget/bill.ts";
import type { Account, CallContext, TuitbotGuard } from "../call/call-context.ts";

export interface AccountDependencies {
  /** Opens the database and asks X who is signed in, on the first call that needs them. */
  readonly openAccount: (signal: AbortSignal) => Promise<Outcome<Account, Failure>>;
  /** The same without X, once X has said whose sign-in it is. */
  readonly openStored: (signal: AbortSignal) => Promise<Outcome<Account, Failure<"db_error">>>;
  /** The ledger for reads while X does not say who is signed in. */
  readonly openLedger?: (() => Promise<AccountLedger | undefined>) | undefined;
}

type Asking = Pick<CallContext, "release">;
type Opened = { readonly account: Account } & Pick<CallContext, "agent">;

/** Opens the account that the call acts for, and answers for a database that fails anywhere behind it. */
export const account: TuitbotGuard<AccountDependencies, Asking, Opened> = {
  name: "account",
  codes: () => [...WHO_AM_I, "db_error"],
  async run(call, next, { openAccount }) {
    const { mutates } = EFFECTS[call.effect];
    if (mutates) call.annotate({ correlation_id: call.id });
    const opened = await openAccount(call.signal);
    if (!opened.ok) return opened;
    const account = opened.value;
    return orStorageFailure(async () => {
      // What is stored in a file that was deleted is forgotten at the next start, and would be done again.
      if (mutates) await account.store.check();
      const agent = await agentBehind(call, account);
      if (agent !== undefined) call.annotate({ agent: agent.name });
      return next({ context: { account, agent } });
    });
  },
};

/** The same for what asks X nothing: it works while X cannot be used, and where nobody is signed in any more. */
export const storedAccount: TuitbotGuard<AccountDependencies, Asking, Opened> = {
  name: "stored account",
  codes: () => ["db_error"],
  run: (call, next, { openStored }) => account.run(call, next, { openAccount: openStored, openStored }),
};

/** The same for reads of X: where nobody is signed in, the tool itself says so, or does without. */
export const accountIfSignedIn: TuitbotGuard<
  AccountDependencies,
  Asking,
  Pick<CallContext, "account" | "agent" | "ledger">
> = {
  name: "account if signed in",
  codes: ({ needs }) => (needs.includes("x") ? ["db_error"] : []),
  async run(call, next, { openAccount, openStored, openLedger }) {
    // A tool that asks X nothing needs no account.
    const isOfX = call.tool.needs.includes("x");
    if (!isOfX && !call.tool.needs.includes("server")) return next();
    const opened = await (isOfX ? openAccount : openStored)(call.signal);
    if (opened.ok)
      return orStorageFailure(async () => {
        const agent = await agentBehind(call, opened.value);
        if (agent !== undefined) call.annotate({ agent: agent.name });
        return next({ context: { account: opened.value, agent } });
      });
    if (isOfX && opened.failure.code === "db_error") return opened;
    return orStorageFailure(async () => next({ context: { ledger: await openLedger?.() } }));
  },
};

/** The agent whose token the call came with; for what a person has approved, the one that asked for it. */
async function agentBehind(
  { caller, context }: { readonly caller: Caller; readonly context: Asking },
  { findAgent }: Account,
): Promise<Agent | undefined> {
  const name = agentName(context.release === undefined ? caller.principal : context.release.askedBy);
  return name === undefined ? undefined : findAgent(name);
}

/** The ways in which X can fail to say who is signed in. */
const WHO_AM_I: readonly ErrorCode[] = [
  "x_not_configured",
  "x_auth_expired",
  "x_forbidden",
  "x_account_restricted",
  "x_rate_limited",
  "x_network_error",
  "x_api_error",
];
