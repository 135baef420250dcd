import { createHash } from "node:crypto";
import { constants, open } from "node:fs/promises";
import { basename } from "node:path";
import { type Failure, type Json, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import type { Kysely } from "kysely";
import type { Database } from "../../storage/database.ts";
import { StorageError } from "../../storage/storage-error.ts";
import type { Session } from "../../storage/store.ts";
import { fileUnderRoots, notRegular } from "../../x/toolkit/media-roots.ts";

/** Or why the file may not be uploaded. */
async function fileDigest(path: string, roots: readonly string[]): Promise<Outcome<string, Failure>> {
  const real = await fileUnderRoots(path, roots);
  if (!real.ok) return real;
  // Non-blocking: a pipe in the file's place would never open.
  await using handle = await open(real.value, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) return notRegular();
  const hash = createHash("sha256");
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Uint8Array);
  return ok(hash.digest("hex"));
}

/** After an upload, remembers the bytes for its id. */
export async function rememberUpload(
  { store, account }: Session,
  { input, result, roots, now, warn }: Uploaded,
): Promise<void> {
  const media_id = (result as { readonly media_id?: unknown } | null)?.media_id;
  if (typeof media_id !== "string" || typeof input.file_path !== "string") return;
  const sha256 = await fileDigest(input.file_path, roots);
  if (!sha256.ok) return;
  try {
    const name = basename(input.file_path);
    await rememberMedia(store.db, { account, media_id, sha256: sha256.value, name, uploaded_at: now });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    warn("The upload could not be written down; an approval of a post with it is bound to its id alone.");
  }
}

export interface Uploaded {
  readonly input: JsonObject;
  readonly result: Json;
  readonly roots: readonly string[];
  readonly now: number;
  readonly warn: (warning: string) => void;
}

async function rememberMedia(
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

/** From its file or uploads. X never changes an upload, so one from elsewhere is known by its id. */
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

export async function fileDigests(
  paths: readonly string[],
  roots: readonly string[],
): Promise<Outcome<readonly string[], Failure>> {
  const digests: string[] = [];
  for (const path of paths) {
    const digest = await fileDigest(path, roots);
    if (!digest.ok) return digest;
    digests.push(digest.value);
  }
  return ok(digests);
}

/** By SHA-256. */
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
