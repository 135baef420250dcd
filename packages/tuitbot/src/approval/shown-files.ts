import { parseJson } from "@toolpact/contract/internal";
import { fileDigests } from "../guards/approval/media-bytes.ts";
import type { Session } from "../storage/store.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import type { QueuedMutation } from "./item.ts";

export interface ShownFile {
  /** From 1, within a thread. */
  readonly post: number;
  /** Null if not uploaded here, or changed since. */
  readonly file_path: string | null;
  readonly alt_text?: string;
  /** Missing before the upload. */
  readonly media_id?: string;
}

/** By item id, each looked up by its upload. */
export async function shownFiles(
  session: Session,
  items: readonly QueuedMutation[],
  roots: readonly string[],
): Promise<ReadonlyMap<number, readonly ShownFile[]>> {
  const hasUploads = items.some((item) => uploadsOf(item).length > 0);
  const uploads = hasUploads ? await recentUploads(session) : new Map<string, Upload>();
  const found = new Map<number, readonly ShownFile[]>();
  for (const item of items) found.set(item.id, await filesOf(item, uploads, roots));
  return found;
}

async function filesOf(
  { schedule, media, ...item }: QueuedMutation,
  uploads: ReadonlyMap<string, Upload>,
  roots: readonly string[],
): Promise<readonly ShownFile[]> {
  if (schedule !== undefined)
    return schedule.media.map((file) => ({
      post: Number(file.post),
      file_path: String(file.file_path),
      ...(typeof file.alt_text === "string" && { alt_text: file.alt_text }),
    }));
  const files: ShownFile[] = [];
  for (const [index, { post, media_id }] of uploadsOf(item).entries()) {
    const { file_path, alt_text } = uploads.get(media_id) ?? {};
    const isSame = file_path !== undefined && (await hasDigest(file_path, media[index], roots));
    files.push({
      post,
      file_path: isSame ? file_path : null,
      ...(alt_text !== undefined && { alt_text }),
      media_id,
    });
  }
  return files;
}

/** In order. */
function uploadsOf({ args: { media_ids } }: Pick<QueuedMutation, "args">) {
  if (!Array.isArray(media_ids)) return [];
  return media_ids.flatMap((given, index) =>
    Array.isArray(given)
      ? given.map((id) => ({ post: index + 1, media_id: String(id) }))
      : [{ post: 1, media_id: String(given) }],
  );
}

interface Upload {
  readonly file_path: string;
  readonly alt_text: string | undefined;
}

/** X forgets an unused upload after a day. */
const MAX_UPLOADS = 1_000;

async function recentUploads({ store, account }: Session): Promise<ReadonlyMap<string, Upload>> {
  const rows = await store.db
    .selectFrom("audit")
    .select(["args_json", "result_json"])
    .where("account", "=", account)
    .where("tool", "=", "x_upload_media")
    .where("status", "=", "success")
    .orderBy("at", "desc")
    .orderBy("correlation_id", "desc")
    .limit(MAX_UPLOADS)
    .execute();
  return new Map(
    rows.flatMap(({ args_json, result_json }) => {
      const [args, result] = [objectIn(parseJson(args_json)), objectIn(parseJson(result_json ?? ""))];
      const file_path = textIn(args, "file_path");
      const media_id = textIn(result, "media_id");
      if (file_path === undefined || media_id === undefined) return [];
      return [[media_id, { file_path, alt_text: textIn(result, "alt_text") }]];
    }),
  );
}

async function hasDigest(
  path: string,
  sha256: string | undefined,
  roots: readonly string[],
): Promise<boolean> {
  // Unreadable counts as missing.
  const found = await fileDigests([path], roots).catch(() => undefined);
  return found?.ok === true && found.value[0] === sha256;
}
