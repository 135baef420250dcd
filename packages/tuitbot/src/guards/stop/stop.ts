import type { Effect, Failed, Failure } from "@toolpact/contract";
import { isByPerson } from "@toolpact/contract/internal/guards";
import type { Kysely } from "kysely";
import { errors } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/transaction.ts";
import type { MutationRecord } from "../call/call-context.ts";
import type { MutationCall } from "../call/mutation.ts";

/** Nothing is sent to X, in any process on the database. */
export interface AgentStop {
  readonly at: number;
  /** And on which surface. */
  readonly by: string;
  readonly reason: string | undefined;
}

export async function findStop(db: Kysely<Database>, account: string): Promise<AgentStop | undefined> {
  const [row] = (await selectStop(db, { account })).rows;
  return row && { at: row.stopped_at, by: row.stopped_by, reason: row.reason ?? undefined };
}

const selectStop = prepared((db, the: { readonly account: string }) =>
  db.selectFrom("stops").selectAll().where("account", "=", the.account),
);

/** The first stop stays. */
export async function stopAll(db: Kysely<Database>, account: string, stop: AgentStop): Promise<AgentStop> {
  const { at, by, reason = null } = stop;
  await db
    .insertInto("stops")
    .values({ account, stopped_at: at, stopped_by: by, reason })
    .onConflict((conflict) => conflict.column("account").doNothing())
    .execute();
  return (await findStop(db, account)) ?? stop;
}

/** False if there was none. */
export async function resumeAll(db: Kysely<Database>, account: string): Promise<boolean> {
  const ended = await db
    .deleteFrom("stops")
    .where("account", "=", account)
    .returning("account")
    .executeTakeFirst();
  return ended !== undefined;
}

/** For changes at X. */
export function stoppedByPerson({ at, by, reason }: AgentStop): Failed<Failure<"policy_denied_user_rule">> {
  const why = reason === undefined ? "" : ` Reason: ${JSON.stringify(reason)}.`;
  return errors.fail(
    "policy_denied_user_rule",
    `Everything is stopped since ${new Date(at).toISOString()} (${by}).${why} Nothing was sent.`,
    {
      reason: STOPPED,
      policyDecision: "denied",
      suggestedFix: "Wait until the person resumes, with `tuitbot resume` or on the page.",
      fixBy: "human",
      details: { stopped_at: new Date(at).toISOString(), stopped_by: by },
    },
  );
}

export const STOPPED = "stopped_by_person";

export function stopView({ at, by, reason }: AgentStop) {
  return { at: new Date(at).toISOString(), by, reason: reason ?? null };
}

export function stopText({ at, by, reason }: AgentStop): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `everything, since ${new Date(at).toISOString()}, by ${by}${why}`;
}

/** A person may still undo. */
export async function stopRefusal(
  { context, caller, effect }: MutationCall,
  record: MutationRecord,
): Promise<Failed<Failure> | undefined> {
  const { account, release } = context;
  const found = await findStop(account.store.db, account.account);
  const isPerson = isByPerson(caller) && release?.isByAgent !== true;
  if (found === undefined || (isPerson && TAKES_BACK.has(effect))) return undefined;
  record.decision = "deny";
  record.ruleId = "stop";
  return stoppedByPerson(found);
}

const TAKES_BACK: ReadonlySet<Effect> = new Set(["undo", "delete"]);
