import { digest } from "@toolpact/contract/internal";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";

export interface TextLabel {
  readonly topic: string;
  readonly format?: string | undefined;
}

/** Until it is published by anyone. A thread's first text has the label. */
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

/** Finds a text's label. */
export function textDigest(text: string): string {
  return digest([text.trim()]);
}
