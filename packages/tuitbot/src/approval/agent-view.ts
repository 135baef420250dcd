import { ok } from "@toolpact/contract";
import { errors } from "../errors.ts";
import type { Series } from "../guards/approval/ask-for-approval.ts";
import { editsOf } from "../guards/stack/decisions-guard.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { Session } from "../storage/store.ts";
import { cleaned, cleanText, NOTICE } from "../x/untrusted.ts";
import type { QueuedMutation } from "./item.ts";
import { decidedItems, expireOld, findItem, pendingItems } from "./queue.ts";
import { unsettledReleases } from "./unsettled-release.ts";

/** What waits and what was decided lately, as a resource. */
export async function approvalsForAgent(db: Session, now: number) {
  const { items } = await waitingPage(db, now, { limit: MOST_WAITING });
  const latest = await decidedItems(db.store.db, db.account, MOST_DECIDED);
  return { items: items.map(waitingView), decided: latest.map(decidedView), notice: NOTICE };
}

/** One item with what became of it, as a resource. `pageUrl` is where the person's page is. */
export async function approvalForAgent(
  { store, account }: Session,
  id: number,
  { now, pageUrl }: { readonly now: number; readonly pageUrl: string | undefined },
) {
  // What is no id at all is not asked for.
  if (!Number.isSafeInteger(id)) return errors.fail("not_found", "Items have whole numbers as ids.");
  await expireOld(store.db, account, now);
  const found = await findItem(store.db, account, id);
  if (!found.ok) return found;
  const item = found.value;
  const edits = await editsOf({ store, account }, [id]);
  const { person_says, error, decided_at } = decidedView(item);
  return ok({
    ...waitingView(item),
    decided_by: item.decidedBy === undefined ? null : cleanText(item.decidedBy),
    person_says,
    error,
    decided_at,
    ...(edits.has(id) && { edited_to: edits.get(id) ?? null }),
    // What X answered has been cleaned before it was stored.
    result: item.result ?? null,
    page_url: pageUrl === undefined ? null : itemLink(pageUrl, id),
    notice: NOTICE,
  });
}

const MOST_WAITING = 20;
export const MOST_DECIDED = 5;

/** Without what hides: an agent reads it, and the person sees the rest spelt out. */
export function waitingView(item: QueuedMutation) {
  return {
    id: item.id,
    action_type: item.tool,
    // Cleaning an object gives an object.
    params: cleaned(item.args) as Record<string, unknown>,
    media: [...item.media],
    ...(item.schedule !== undefined && { scheduled_for: item.schedule.at }),
    ...(item.schedule?.series !== undefined && { series: seriesView(item.schedule.series) }),
    status: item.status,
    reason: item.reason,
    matched_rule_id: item.ruleId,
    estimated_usd: item.estimatedUsd,
    created_at: new Date(item.createdAt).toISOString(),
    expires_at: new Date(item.expiresAt).toISOString(),
    context: item.context ?? null,
  };
}

function seriesView({ repeats, until, posts }: Series) {
  return {
    repeats,
    until,
    posts: posts.map(({ at, args }) => ({ at, text: cleanText(String(args.text)) })),
  };
}

export function decidedView({ id, tool, status, note, error, decidedAt }: QueuedMutation) {
  return {
    id,
    action_type: tool,
    // Its status is looked at for decided items alone.
    status: status as "executed" | "failed" | "rejected" | "expired",
    person_says: note === undefined ? null : cleanText(note),
    error: error?.message ?? null,
    decided_at: decidedAt === undefined ? null : new Date(decidedAt).toISOString(),
  };
}

/** Where a person decides about an item on the page. */
export function itemLink(pageUrl: string, id: number): string {
  const url = new URL("/", pageUrl);
  url.hash = `/inbox/${id}`;
  return url.href;
}

/** Sent items come before those that wait. */
export type WaitingKey = [status: "releasing" | "pending", id: number];

/** What a person has to look at: items that were sent with an unknown outcome, then those that wait, oldest first. */
export async function waitingPage(
  { store: { db }, account }: Session,
  now: number,
  { limit, after: [status, after] = ["releasing", 0] }: PageRequest<WaitingKey>,
): Promise<Page<QueuedMutation>> {
  const isFirst = status === "releasing";
  const sent = isFirst ? await unsettledReleases(db, account, { limit: limit + 1, after }) : [];
  const left = limit + 1 - sent.length;
  const waiting =
    left === 0 ? [] : await pendingItems(db, account, now, { limit: left, after: isFirst ? 0 : after });
  return pageOf([...sent, ...waiting], limit, ({ status, id }) => [status, id]);
}
