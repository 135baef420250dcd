import { type JsonObject, ok } from "@toolpact/contract";
import { errors } from "../errors.ts";
import type { ApprovalContext } from "../guards/approval/approval-context.ts";
import type { Series } from "../guards/approval/ask-for-approval.ts";
import { decisionStatus, decisionView } from "../guards/approval/decision-view.ts";
import { editsOf } from "../guards/stack/caller-guards.ts";
import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { Session } from "../storage/store.ts";
import { cleaned, cleanText, NOTICE } from "../x/untrusted.ts";
import type { QueuedMutation } from "./item.ts";
import { decidedItems, expireOld, findItem, pendingItems } from "./queue.ts";
import { unsettledReleases } from "./unsettled-release.ts";

/** As a resource. */
export async function approvalsForAgent(db: Session, now: number) {
  const { items } = await waitingPage(db, now, { limit: MAX_WAITING });
  return { items: items.map(waitingView), decided: await latestDecisions(db), notice: NOTICE };
}

/** Newest first. */
export async function latestDecisions(db: Session) {
  const latest = await decidedItems(db.store.db, db.account, MAX_DECIDED);
  const edits = await editsOf(
    db,
    latest.map(({ id }) => id),
  );
  return latest.map((item) => decidedView(item, edits.get(item.id)));
}

/** As a resource. `pageUrl` is the dashboard's. */
export async function approvalForAgent(
  { store, account }: Session,
  id: number,
  { now, pageUrl }: { readonly now: number; readonly pageUrl: string | undefined },
) {
  // Do not look up text that is no id.
  if (!Number.isSafeInteger(id)) return errors.fail("not_found", "Items have whole numbers as ids.");
  await expireOld(store.db, account, now);
  const found = await findItem(store.db, account, id);
  if (!found.ok) return found;
  const item = found.value;
  const edits = await editsOf({ store, account }, [id]);
  const { person_says = null, error = null, decided_at = null } = decidedView(item, edits.get(id));
  return ok({
    ...waitingView(item),
    // Complete, for the windows in chats, which show it with the dashboard's components.
    context: item.context ?? null,
    decided_by: item.decidedBy === undefined ? null : cleanText(item.decidedBy),
    person_says,
    error,
    decided_at,
    ...(edits.has(id) && { edited_to: edits.get(id) ?? null }),
    // Cleaned before it was stored.
    result: item.result ?? null,
    page_url: pageUrl === undefined ? null : itemLink(pageUrl, id),
    notice: NOTICE,
  });
}

const MAX_WAITING = 20;
const MAX_DECIDED = 20;

/** Without hidden characters, which the person sees spelled out. */
export function waitingView(item: QueuedMutation) {
  return {
    id: item.id,
    action_type: item.tool,
    // Cleaning an object gives an object.
    params: cleaned(item.args) as Record<string, unknown>,
    media: [...item.media],
    ...(item.schedule !== undefined && { scheduled_for: item.schedule.at }),
    ...(item.schedule?.series !== undefined && { series: seriesView(item.schedule.series) }),
    status: item.status === "pending" || item.status === "releasing" ? item.status : decisionStatus(item),
    reason: item.reason,
    ...(item.agentNote !== undefined && { note: cleanText(item.agentNote) }),
    matched_rule_id: item.ruleId,
    estimated_usd: item.estimatedUsd,
    created_at: new Date(item.createdAt).toISOString(),
    expires_at: new Date(item.expiresAt).toISOString(),
    ...(item.context !== undefined && { context: known(item.context) }),
  };
}

/** Without the members that are null, and without empty lists. */
function known(context: ApprovalContext): JsonObject {
  const written = JSON.stringify(context, (_, value: unknown) => {
    if (value === null || Array.isArray(value) || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).filter(([, member]) => !isEmpty(member)));
  });
  // An object was written.
  return JSON.parse(written) as JsonObject;
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function seriesView({ repeats, until, posts }: Series) {
  return {
    repeats,
    until,
    posts: posts.map(({ at, args }) => ({ at, text: cleanText(String(args.text)) })),
  };
}

function decidedView(item: QueuedMutation, edited: string | null | undefined) {
  const { id, tool, decidedAt } = item;
  return {
    id,
    action_type: tool,
    ...decisionView(item),
    ...(edited !== undefined && { edited_to: edited }),
    ...(decidedAt !== undefined && { decided_at: new Date(decidedAt).toISOString() }),
  };
}

/** In the dashboard. */
export function itemLink(pageUrl: string, id: number): string {
  const url = new URL(pageUrl);
  url.hash = `/inbox/${id}`;
  return url.href;
}

/** Sent items come first. */
export type WaitingKey = [status: "releasing" | "pending", id: number];

/** Sent with an unknown outcome, then waiting, oldest first. */
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
