import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { ok } from "@toolpact/contract";
import { makeFolder } from "@toolpact/file-lock";
import { HEAD_BYTES, type MediaKind, mediaKindOf } from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import type { FromX } from "./ask-x.ts";
import { type MediaCode, planOf } from "./media.ts";
import { fileUnderRoots, notRegular } from "./media-roots.ts";

export interface StoredFile {
  readonly file_path: string;
  readonly media_type: MediaKind["type"];
  readonly file_size_bytes: number;
}

/** In the first allowed folder, atomically. The content names the file, so equal files are stored once. */
export async function storeMedia(
  bytes: Uint8Array,
  roots: readonly string[],
): Promise<FromX<StoredFile, MediaCode>> {
  const [folder] = roots;
  if (folder === undefined)
    return errors.fail("media_upload_error", "There is no folder to store the file in.", {
      suggestedFix: "Name one in `media.roots`.",
      fixBy: "operator",
    });
  const plan = planOf(mediaKindOf(bytes.subarray(0, HEAD_BYTES)), bytes.length);
  if (!plan.ok) return plan;
  const { media_type, file_size_bytes } = plan.value;
  const name = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
  const path = join(folder, `${name}.${EXTENSIONS[media_type]}`);
  const next = join(folder, `${randomUUID()}.new`);
  try {
    await makeFolder(folder);
    await writeFile(next, bytes, { flag: "wx", mode: 0o600 });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    // Node's errors have a code.
    const { code } = error as NodeJS.ErrnoException;
    return errors.fail("media_upload_error", `${folder} cannot be written (${code ?? "unknown error"}).`, {
      suggestedFix: "Make room, or let this process write there; it is the first of `media.roots`.",
      fixBy: "operator",
    });
  }
  return ok({ file_path: path, media_type, file_size_bytes });
}

const EXTENSIONS: Readonly<Record<MediaKind["type"], string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
};

export interface OpenedFile extends Omit<StoredFile, "file_path"> {
  readonly content: ReadableStream<Uint8Array>;
}

/** Only what X would accept. */
export async function openMedia(
  path: string,
  roots: readonly string[],
): Promise<FromX<OpenedFile, MediaCode>> {
  const real = await fileUnderRoots(path, roots);
  if (!real.ok) return real;
  const file = await open(real.value).catch(() => undefined);
  const status = await file?.stat().catch(() => undefined);
  if (file === undefined || status?.isFile() !== true) {
    await file?.close();
    return notRegular();
  }
  const { buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const plan = planOf(mediaKindOf(buffer), status.size);
  if (!plan.ok) {
    await file.close();
    return plan;
  }
  const { media_type, file_size_bytes } = plan.value;
  const content: ReadableStream<Uint8Array> = Readable.toWeb(file.createReadStream({ start: 0 }));
  return ok({ media_type, file_size_bytes, content });
}
