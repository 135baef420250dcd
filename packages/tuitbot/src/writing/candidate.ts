import { type Failure, type Outcome, ok } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import type { Selectable } from "kysely";
import type { Config } from "../config/schema.ts";
import { errors } from "../errors.ts";
import { checkReply } from "../guards/safety/check-reply.ts";
import type { Session } from "../storage/store.ts";
import type { DiscoveredPostRow } from "../storage/tables/publication-tables.ts";
import { refusedByX } from "../x/toolkit/preflight.ts";

export type Candidate = Selectable<DiscoveredPostRow>;

export interface ReplyContext extends Session {
  readonly config: Pick<Config, "limits" | "business">;
  readonly access: Access;
  readonly now: () => number;
}

/** Or why not, before a text is written. */
export async function answerablePost(
  context: ReplyContext,
  id: string,
): Promise<Outcome<Candidate, Failure>> {
  const { store, account, config, access, now } = context;
  const candidate = await store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  if (candidate === undefined)
    return errors.fail("not_found", `The post ${id} is not among the found posts.`, {
      suggestedFix: "Find it with find_reply_opportunities, or take an id from get_discovery_feed.",
      fixBy: "agent",
    });
  const answer = await answerTo(context, id);
  if (answer !== undefined) return answer;
  const refused = refusedByX("reply", access, { isSummoned: candidate.is_summons === 1 });
  if (refused !== undefined) return refused;
  const safe = await checkReply(context, { author: candidate.author_id, text: undefined }, config, now());
  return safe.ok ? ok(candidate) : safe;
}

/** A receipt shows an earlier reply. */
async function answerTo({ store, account }: Session, id: string) {
  const receipt = await store.db
    .selectFrom("receipts")
    .select("state")
    .where("account", "=", account)
    .where("reply_claim", "=", id)
    .executeTakeFirst();
  if (receipt === undefined) return undefined;
  if (receipt.state === "confirmed")
    return errors.fail("policy_denied_hard_rule", "This account has already answered that post.", {
      fixBy: "agent",
      details: { matched_rule_id: "hard:x_one_reply" },
    });
  return errors.fail(
    "validation_error",
    "A reply to that post was sent, and it is not known yet whether X published it.",
    {
      reason: "outcome_unknown",
      suggestedFix: "Try again in a minute.",
      fixBy: "agent",
    },
  );
}
