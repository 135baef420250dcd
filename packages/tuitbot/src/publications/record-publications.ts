import { parseJson } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import type { PublicationKind, PublicationRow } from "../storage/tables/publication-tables.ts";
import type { ReceiptRow, StepRow } from "../storage/tables/receipt-tables.ts";
import { prepared, withCommit } from "../storage/transaction.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import { textDigest } from "./labels.ts";
import { countReply, countTopicPost } from "./sums.ts";

type OfReceipt = Pick<ReceiptRow, "id" | "account" | "reply_claim" | "expected_steps">;

/** Once, with the receipt that proves them. All analytics of own posts start here. */
export async function recordPublications(
  db: Kysely<Database>,
  receipt: OfReceipt,
  steps: readonly StepRow[],
): Promise<void> {
  for (const [position, step] of steps.filter(isOut).entries()) {
    const published = publishedBy(step, receipt, position);
    if (published !== undefined) await recordPublication(db, receipt, published);
  }
  for (const step of steps) if (isDeletion(step)) await recordDeletion(db, receipt.account, step);
}

function isDeletion({ operation, state }: StepRow): boolean {
  return operation === "deletePosts" && state === "confirmed";
}

/** A deleted post counts as measured, without metrics, if it has none yet: analytics leave it out. */
async function recordDeletion(
  db: Kysely<Database>,
  account: string,
  { target, sent_at }: StepRow,
): Promise<void> {
  await db
    .updateTable("publications")
    .set({ measured_at: sent_at })
    .where("account", "=", account)
    .where("post_id", "=", target.split("/").at(-1) ?? "")
    .where("measured_at", "is", null)
    .execute();
}

function isOut({ operation, state }: StepRow): boolean {
  return operation === "createPosts" && state === "confirmed";
}

export interface Published {
  readonly postId: string;
  readonly kind: PublicationKind;
  readonly position: number;
  readonly text: string;
  readonly replyTo: string | null;
  readonly at: number;
}

/** Undefined if deleted since. */
function publishedBy(step: StepRow, receipt: OfReceipt, position: number): Published | undefined {
  const [what, postId] = step.makes?.split(":") ?? [];
  if (what !== "post" || postId === undefined) return undefined;
  const body = objectIn(parseJson(step.body_json ?? ""));
  const answers = textIn(objectIn(body, "reply"), "in_reply_to_tweet_id");
  const isReply = answers !== undefined && answers === receipt.reply_claim;
  // Continues one's own post.
  const isContinuation = answers !== undefined && !isReply;
  return {
    postId,
    kind: isReply ? "reply" : kindOf(receipt, body, isContinuation),
    position: isContinuation ? Math.max(1, position) : 0,
    text: textIn(body, "text") ?? "",
    replyTo: answers ?? null,
    at: step.sent_at,
  };
}

function kindOf({ expected_steps }: OfReceipt, body: object, isContinuation: boolean): PublicationKind {
  if (isContinuation || expected_steps > 1) return "thread";
  return "quote_tweet_id" in body ? "quote" : "tweet";
}

/** Unless known. Posts of one receipt are one thread. */
export async function recordPublication(
  db: Kysely<Database>,
  { id, account }: Pick<OfReceipt, "id" | "account">,
  { postId, kind, position, text, replyTo, at }: Published,
): Promise<void> {
  const answered =
    kind === "reply" && replyTo !== null ? await markAnswered(db, account, replyTo) : undefined;
  const publication = {
    account,
    post_id: postId,
    receipt_id: id,
    kind,
    position,
    text,
    reply_to: replyTo,
    author_id: answered?.author_id ?? null,
    published_at: at,
    measured_at: null,
    // Later posts have no label.
    label: position === 0 ? textDigest(text) : "",
  };
  const { rows } = await insertPublication(db, publication);
  const [published] = rows;
  if (published === undefined) return;
  withCommit(db, countPublication(db, { account, kind }));
  await countTopicPost(db, { ...publication, topic: published.topic });
  if (answered !== undefined)
    await countReply(db, account, { id: answered.author_id, username: answered.author_username }, at);
}

type NewPublication = Omit<PublicationRow, "topic" | "format"> & { readonly label: string };

const insertPublication = prepared((db, { label, ...publication }: NewPublication) =>
  db
    .insertInto("publications")
    .values(({ selectFrom }) => {
      const labels = selectFrom("text_labels")
        .where("account", "=", publication.account)
        .where("digest", "=", label);
      return { ...publication, topic: labels.select("topic"), format: labels.select("format") };
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(["post_id", "topic"]),
);

const countPublication = prepared((db, the: { readonly account: string; readonly kind: PublicationKind }) =>
  db
    .insertInto("publication_totals")
    .values({ ...the, published: 1, measured: 0, score_sum: 0, impressions: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(["account", "kind"])
        .doUpdateSet((eb) => ({ published: eb("publication_totals.published", "+", 1) })),
    ),
);

/** If it was found before. */
async function markAnswered(db: Kysely<Database>, account: string, postId: string) {
  return db
    .updateTable("discovered_posts")
    .set({ answered: 1 })
    .where("account", "=", account)
    .where("id", "=", postId)
    .returning(["author_id", "author_username"])
    .executeTakeFirst();
}
