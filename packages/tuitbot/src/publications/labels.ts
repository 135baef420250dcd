import { digest } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";

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

/** By which the label of a text is found. */
export function textDigest(text: string): string {
  return digest([text.trim()]);
}
