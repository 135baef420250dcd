import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { Selectable } from "kysely";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import type { Session } from "../guards/session.ts";
import { hasAnswered } from "../receipts/claim.ts";
import { checkReply } from "../safety/check-reply.ts";
import type { DiscoveredPostRow } from "../storage/engagement-tables.ts";
import { refusedByX } from "../toolkit/preflight.ts";

/** A found post that somebody thinks of answering. */
export type Candidate = Selectable<DiscoveredPostRow>;

export interface Weighing extends Session {
  readonly config: Pick<Config, "limits" | "business">;
  readonly access: Access;
  readonly now: () => number;
}

/** A found post that may be answered as things stand, or why it may not: before a word is written about it. */
export async function answerable(weighing: Weighing, id: string): Promise<Outcome<Candidate, Failure>> {
  const { store, account, config, access, now } = weighing;
  const candidate = await store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  if (candidate === undefined)
    return errors.fail("not_found", `The post ${id} has not been found here yet.`, {
      suggestedFix: "Find it with find_reply_opportunities, or take an id from get_discovery_feed.",
      fixBy: "agent",
    });
  if (await hasAnswered(store.db, account, id))
    return errors.fail("policy_denied_hard_rule", "This account has answered that post.", {
      fixBy: "agent",
      details: { matched_rule_id: "hard:x_one_reply" },
    });
  const refused = refusedByX("reply", access, { isSummoned: candidate.is_summons === 1 });
  if (refused !== undefined) return refused;
  const safe = await checkReply(weighing, { author: candidate.author_id, text: undefined }, config, now());
  return safe.ok ? ok(candidate) : safe;
}
