import { ok } from "@toolpact/outcome";
import { feedEntry } from "../discovery/feed.ts";
import { errors } from "../errors.ts";
import type { PersonSession } from "./approvals.ts";
import { listPeople } from "./sign-in/people.ts";

const MAX_MENTIONS = 300;

type MentionSession = Pick<PersonSession, "db" | "workflow" | "config" | "visitor">;

/** Stored replies, mentions and quotes, newest first, and possible assignees. */
export async function mentions({ db, workflow, config, visitor }: MentionSession) {
  const rows = await db.store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", db.account)
    .where((eb) => eb.or([eb("source", "=", "mention"), eb("is_summons", "=", 1)]))
    .orderBy((eb) => eb.fn.coalesce("posted_at", "found_at"), "desc")
    .limit(MAX_MENTIONS)
    .execute();
  const now = workflow.now();
  const own = await ownTexts(
    db,
    rows.flatMap(({ about_id }) => about_id ?? []),
  );
  const known = await listPeople({ db: db.store.db, account: db.account });
  const configured = await config.people();
  const names = [visitor.person, ...known.map(({ name }) => name), ...configured.map(({ name }) => name)];
  return ok({
    people: [...new Set(names)],
    mentions: rows.map((row) => ({
      ...feedEntry(row, workflow.access),
      ...stateOf(row.answered === 1, row.handled, now),
      assigned_to: row.assigned_to ?? null,
      /** The post of this account that it answers or quotes; null if it is not known. */
      about: aboutOf(row.about_id, own),
    })),
  });
}

function aboutOf(id: string | null | undefined, texts: ReadonlyMap<string, string>) {
  const text = texts.get(id ?? "");
  return id == null || text === undefined ? null : { id, text };
}

/** The texts of those posts that this account has published, by their id. */
async function ownTexts({ store, account }: MentionSession["db"], ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await store.db
    .selectFrom("publications")
    .select(["post_id", "text"])
    .where("account", "=", account)
    .where("post_id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ post_id, text }) => [post_id, text]));
}

interface MentionChange {
  readonly id: string;
  readonly state?: "open" | "done" | "snoozed" | undefined;
  readonly until?: string | undefined;
  /** Null for nobody. */
  readonly assigned_to?: string | null | undefined;
}

/** Snoozes, closes, reopens or assigns it. */
export async function setMention({ id, state, until, assigned_to }: MentionChange, session: MentionSession) {
  const { db } = session;
  if (state === "snoozed" && (until === undefined || Number.isNaN(Date.parse(until))))
    return errors.fail("validation_error", "A time is needed until which the mention is put aside.", {
      suggestedFix: "Pass `until` as an ISO time.",
      fixBy: "agent",
    });
  const handled = state === "open" ? null : state === "done" ? "done" : `${SNOOZED}${until}`;
  const { numUpdatedRows } = await db.store.db
    .updateTable("discovered_posts")
    .set({ ...(state !== undefined && { handled }), ...(assigned_to !== undefined && { assigned_to }) })
    .where("account", "=", db.account)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? errors.fail("not_found", `There is no mention ${id}.`) : mentions(session);
}

const SNOOZED = "snoozed until ";
/** Starts the note of a reply that a loop could not send and a user has to check. */
const REFUSED = "refused:";

function stateOf(isAnswered: boolean, handled: string | null, now: number) {
  const until = handled?.startsWith(SNOOZED) ? handled.slice(SNOOZED.length) : null;
  const isSnoozed = until !== null && Date.parse(until) > now;
  const state: "answered" | "snoozed" | "done" | "open" = isAnswered
    ? "answered"
    : isSnoozed
      ? "snoozed"
      : handled === null || until !== null || handled.startsWith(REFUSED)
        ? "open"
        : "done";
  return { state, snoozed_until: isSnoozed ? until : null };
}
