import type { Failed, Failure } from "@toolpact/contract";
import type { Kysely } from "kysely";
import { errors } from "../errors.ts";
import type { Database } from "../storage/database.ts";

/** True as soon as the account has one. */
export async function needsPasskey(db: Kysely<Database>, account: string): Promise<boolean> {
  const found = await db
    .selectFrom("web_passkeys")
    .select("id")
    .where("account", "=", account)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export function notSigned(
  why = "Approvals need the signature of a passkey here, and this one has none.",
): Failed<Failure<"policy_denied_hard_rule">> {
  return errors.fail("policy_denied_hard_rule", `${why} Nothing was sent.`, {
    reason: "needs_passkey",
    policyDecision: "denied",
    suggestedFix: "Tell the person to approve it in the web app (`tuitbot web`), with their passkey.",
    fixBy: "human",
  });
}
