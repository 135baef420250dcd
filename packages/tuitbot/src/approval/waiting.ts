import { type Page, type PageRequest, pageOf } from "../storage/page.ts";
import type { Session } from "../storage/store.ts";
import type { QueuedMutation } from "./item.ts";
import { pendingItems } from "./queue.ts";
import { unsettledReleases } from "./unsettled-release.ts";

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
