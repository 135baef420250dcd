import { ok } from "@toolpact/outcome";
import { feedEntry } from "../discovery/feed.ts";
import { errors } from "../errors.ts";
import type { Services } from "./services.ts";

const MAX_MENTIONS = 300;

/** Replies, mentions and quotes of the account that were read from X, the newest first. */
export async function mentions({ db, workflow }: Pick<Services, "db" | "workflow">) {
  const rows = await db.store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", db.account)
    .where((eb) => eb.or([eb("source", "=", "mention"), eb("is_summons", "=", 1)]))
    .orderBy((eb) => eb.fn.coalesce("posted_at", "found_at"), "desc")
    .limit(MAX_MENTIONS)
    .execute();
  const now = workflow.now();
  return ok({
    mentions: rows.map((row) => ({
      ...feedEntry(row, workflow.access),
      ...stateOf(row.answered === 1, row.handled, now),
    })),
  });
}

/** Puts a mention aside until a time, marks it as done, or opens it again. */
export async function setMention(
  {
    id,
    state,
    until,
  }: {
    readonly id: string;
    readonly state: "open" | "done" | "snoozed";
    readonly until?: string | undefined;
  },
  session: Pick<Services, "db" | "workflow">,
) {
  const { db } = session;
  if (state === "snoozed" && (until === undefined || Number.isNaN(Date.parse(until))))
    return errors.fail("validation_error", "A time is needed until which the mention is put aside.", {
      suggestedFix: "Pass `until` as an ISO time.",
      fixBy: "agent",
    });
  const handled = state === "open" ? null : state === "done" ? "done" : `${SNOOZED}${until}`;
  const { numUpdatedRows } = await db.store.db
    .updateTable("discovered_posts")
    .set({ handled })
    .where("account", "=", db.account)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? errors.fail("not_found", `There is no mention ${id}.`) : mentions(session);
}

const SNOOZED = "snoozed until ";

function stateOf(isAnswered: boolean, handled: string | null, now: number) {
  const until = handled?.startsWith(SNOOZED) ? handled.slice(SNOOZED.length) : null;
  const isSnoozed = until !== null && Date.parse(until) > now;
  const state: "answered" | "snoozed" | "done" | "open" = isAnswered
    ? "answered"
    : isSnoozed
      ? "snoozed"
      : handled === null || until !== null
        ? "open"
        : "done";
  return { state, snoozed_until: isSnoozed ? until : null };
}
