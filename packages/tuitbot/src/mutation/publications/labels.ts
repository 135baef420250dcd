import { digest } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { prepared } from "../../storage/prepared.ts";

export interface TextLabel {
  readonly topic: string;
  readonly format?: string | undefined;
}

/**
 * Stores what a text is about until it is published: at once, after an approval, on schedule, or by an agent that was
 * given it. Of a thread the first text is labelled.
 */
export async function labelText(
  db: Kysely<Database>,
  account: string,
  text: string,
  { topic, format }: TextLabel,
  now: number,
): Promise<void> {
  const label = { topic, format: format ?? null, made_at: now };
  await db
    .insertInto("text_labels")
    .values({ account, digest: textDigest(text), ...label })
    .onConflict((conflict) => conflict.columns(["account", "digest"]).doUpdateSet(label))
    .execute();
}

export async function labelOf(
  db: Kysely<Database>,
  account: string,
  text: string,
): Promise<{ readonly topic: string | null; readonly format: string | null }> {
  const { rows } = await selectLabel(db, { account, digest: textDigest(text) });
  return rows[0] ?? { topic: null, format: null };
}

const selectLabel = prepared((db, the: { readonly account: string; readonly digest: string }) =>
  db
    .selectFrom("text_labels")
    .select(["topic", "format"])
    .where("account", "=", the.account)
    .where("digest", "=", the.digest),
);

function textDigest(text: string): string {
  return digest([text.trim()]);
}
