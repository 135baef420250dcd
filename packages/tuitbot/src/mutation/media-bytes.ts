import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type Failure, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../storage/database.ts";
import { fileUnderRoots } from "../x/toolkit/media-roots.ts";

/** SHA-256 of a file that may be uploaded, or why it may not. */
export async function fileDigest(path: string, roots: readonly string[]): Promise<Outcome<string, Failure>> {
  const real = await fileUnderRoots(path, roots);
  if (!real.ok) return real;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(real.value)) hash.update(chunk as Uint8Array);
  return ok(hash.digest("hex"));
}

/** Remembers which bytes X has under an id. */
export async function rememberMedia(
  db: Kysely<Database>,
  row: {
    readonly account: string;
    readonly media_id: string;
    readonly sha256: string;
    readonly name: string;
    readonly uploaded_at: number;
  },
): Promise<void> {
  await db
    .insertInto("media")
    .values(row)
    .onConflict((conflict) => conflict.columns(["account", "media_id"]).doUpdateSet(row))
    .execute();
}

/**
 * The bytes that a call would publish: of the file it names, or of the uploads whose ids it names. An upload that
 * was not made here is known by its id alone, whose bytes X never changes.
 */
export async function publishedMedia(
  db: Kysely<Database>,
  account: string,
  args: JsonObject,
  mediaIds: readonly string[],
  roots: readonly string[],
): Promise<Outcome<readonly string[], Failure>> {
  const { file_path } = args;
  if (typeof file_path === "string") {
    const digest = await fileDigest(file_path, roots);
    return digest.ok ? ok([digest.value]) : digest;
  }
  if (mediaIds.length === 0) return ok([]);
  const rows = await db
    .selectFrom("media")
    .select(["media_id", "sha256"])
    .where("account", "=", account)
    .where("media_id", "in", mediaIds)
    .execute();
  return ok(mediaIds.map((id) => rows.find(({ media_id }) => media_id === id)?.sha256 ?? `id:${id}`));
}

/** What files with these bytes were called when they were uploaded, by their SHA-256. */
export async function mediaNames(
  db: Kysely<Database>,
  account: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom("media")
    .select(["sha256", "name"])
    .where("account", "=", account)
    .where("sha256", "in", digests)
    .execute();
  return new Map(rows.flatMap(({ sha256, name }) => (name === null ? [] : [[sha256, name]])));
}
