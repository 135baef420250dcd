import { type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { canonicalJson, parseJson } from "@toolpact/contract/internal";
import type { Selectable } from "kysely";
import { contentChanged } from "../approval/edit.ts";
import { type DraftMedia, mediaJson, uploadMedia } from "../drafts/draft-media.ts";
import { type DraftOptions, optionsFrom, optionsOf } from "../drafts/draft-options.ts";
import { scheduleKey } from "../drafts/publish-draft.ts";
import { scheduleOf } from "../drafts/schedule.ts";
import type { Release } from "../guards/call/call-context.ts";
import { ACCEPT_URL_PRICE, IDEMPOTENCY_KEY, identityOf, OWN_KEY } from "../guards/receipts/receipt.ts";
import { stepsOf } from "../guards/receipts/receipt-queries.ts";
import type { ReceiptRow, StepRow } from "../storage/tables/receipt-tables.ts";
import type { ScheduledPostRow } from "../storage/tables/schedule-tables.ts";
import { listIn, objectIn, textIn } from "../x/shapes/x-object.ts";
import type { Pass } from "./pass.ts";

type Scheduled = Selectable<ScheduledPostRow>;

interface ApprovedContent {
  readonly texts: readonly string[];
  readonly options: DraftOptions;
  readonly acceptsPrice: boolean;
}

/** As approved, if approval was required. */
export async function approvedContent(
  { store, account, workflow, now, signal }: Pass,
  { id, approval_id, options_json, accepts_url_price }: Scheduled,
  texts: readonly string[],
  media: readonly DraftMedia[],
): Promise<Outcome<ApprovedContent, Failure>> {
  if (approval_id === null)
    return ok({ texts, options: optionsFrom(options_json), acceptsPrice: accepts_url_price === 1 });
  const item = await workflow.approvedItem(approval_id, signal);
  if (!item.ok) return item;
  const { args, schedule } = item.value;
  const at = Date.parse(schedule?.at ?? "");
  const isSame =
    args[IDEMPOTENCY_KEY] === `${OWN_KEY}${scheduleKey(id)}` &&
    canonicalJson(schedule) === canonicalJson(scheduleOf(at, media)) &&
    at <= now();
  if (!isSame) return contentChanged(approval_id);
  // The person may have edited it.
  const own = listIn(args, "tweets").length > 0 ? listIn(args, "tweets").map(String) : [String(args.text)];
  if (canonicalJson(own) !== canonicalJson(texts))
    await store.db
      .updateTable("scheduled_posts")
      .set({ texts_json: JSON.stringify(own) })
      .where("account", "=", account)
      .where("id", "=", id)
      .execute();
  return ok({ texts: own, options: optionsOf(args), acceptsPrice: args[ACCEPT_URL_PRICE] === true });
}

/** Approved at scheduling, so it is not requested again. */
export function releaseOf(
  { account }: Pass,
  { approval_id }: Scheduled,
  tool: string,
  args: JsonObject,
): Release | undefined {
  if (approval_id === null) return undefined;
  return { approvalId: approval_id, tool, argsDigest: identityOf(account, tool, args).argsDigest };
}

/** Ids are stored before the post is sent, because a repeated call must name them. */
export async function withUploads(
  pass: Pass,
  post: Scheduled,
  media: readonly DraftMedia[],
  earlier: ReceiptRow | undefined,
  by: string,
): ReturnType<typeof uploadMedia> {
  const { store, account, workflow, now, signal } = pass;
  const { id } = post;
  const published = earlier === undefined ? [] : postedIn(await stepsOf(store.db, earlier.id));
  const call = (tool: string, args: JsonObject) =>
    workflow.call(tool, args, by, signal, releaseOf(pass, post, tool, args));
  const uploaded = await uploadMedia({ now, call }, media, scheduleKey(id), published.length + 1);
  if (uploaded.ok && uploaded.value.some((file, index) => file !== media[index]))
    await store.db
      .updateTable("scheduled_posts")
      .set({ media_json: mediaJson(uploaded.value) })
      .where("account", "=", account)
      .where("id", "=", id)
      .execute();
  return uploaded;
}

/** From a receipt's steps. */
export function postedIn(steps: readonly StepRow[]): readonly string[] {
  return steps
    .filter(({ state }) => state === "confirmed")
    .flatMap(({ answer_text }) => textIn(objectIn(parseJson(answer_text ?? ""), "data"), "id") ?? []);
}
