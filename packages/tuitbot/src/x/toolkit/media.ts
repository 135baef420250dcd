import { open } from "node:fs/promises";
import { type Failed, type Failure, ok, type Progress } from "@toolpact/contract";
import {
  HEAD_BYTES,
  type MediaKind,
  mediaKindOf,
  type ProviderError,
  type UploadFailure,
  uploadMedia,
  type XClient,
} from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import { OF_THE_ARGUMENTS, type XErrorCode, xFailed } from "../x-errors.ts";
import type { FromX } from "./ask-x.ts";
import { fileUnderRoots } from "./media-roots.ts";

export interface MediaFile {
  readonly path: string;
  readonly altText?: string | undefined;
}

export interface MediaSetting {
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

export type MediaCode =
  | Exclude<XErrorCode, "not_found">
  | "unsupported_media_type"
  | "file_read_error"
  | "media_upload_error";

export interface MediaPlan {
  media_type: MediaKind["type"];
  file_size_bytes: number;
  upload_strategy: "simple" | "chunked";
  segment_count: number;
  processing_required: boolean;
}

export interface UploadedFile extends MediaPlan {
  media_id: string;
  /** Then X forgets an unused file. */
  expires_at?: string;
  alt_text?: string;
  /** The file itself is uploaded. */
  alt_text_failure?: string;
}

/** Sends nothing. */
export async function planUpload(
  { path }: MediaFile,
  { roots }: Pick<MediaSetting, "roots">,
): Promise<FromX<MediaPlan, MediaCode>> {
  const file = await inspect(path, roots);
  return file.ok ? ok(file.value.plan) : file;
}

/** Waits until a post can use it. */
export async function upload(
  client: XClient,
  media: MediaFile,
  { roots, signal, progress }: MediaSetting,
): Promise<FromX<UploadedFile, MediaCode>> {
  const file = await inspect(media.path, roots);
  if (!file.ok) return file;
  let reported = 0;
  const uploaded = await uploadMedia(client, {
    path: file.value.path,
    signal,
    onProgress: ({ sentBytes, totalBytes }) => {
      // Progress must grow, and X's processing reports none.
      if (sentBytes <= reported) return;
      reported = sentBytes;
      progress({ done: sentBytes, total: totalBytes });
    },
    ...(media.altText !== undefined && { altText: media.altText }),
  });
  if (!uploaded.ok) return uploadFailed(uploaded.failure);
  const { mediaId, expiresAt, altTextFailure } = uploaded.value;
  return ok({
    media_id: mediaId,
    ...file.value.plan,
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
    ...(media.altText !== undefined && altTextFailure === undefined && { alt_text: media.altText }),
    ...(altTextFailure && { alt_text_failure: altTextFailure.message }),
  });
}

async function inspect(
  path: string,
  roots: readonly string[],
): Promise<FromX<{ path: string; plan: MediaPlan }, MediaCode>> {
  const real = await fileUnderRoots(path, roots);
  if (!real.ok) return real;
  const looked = await lookInto(real.value);
  if (looked === undefined)
    return uploadFailed({ kind: "unreadable_file", message: "It is empty, no file, or may not be read." });
  const plan = planOf(looked.kind, looked.bytes);
  return plan.ok ? ok({ path: real.value, plan: plan.value }) : plan;
}

/** If X accepts it. */
export function planOf(kind: MediaKind | undefined, bytes: number): FromX<MediaPlan, MediaCode> {
  if (kind === undefined) {
    return uploadFailed({
      kind: "unsupported_media",
      message: "X takes JPEG, PNG, WebP, GIF, MP4 and MOV; by its content this file is none of them.",
    });
  }
  if (bytes > kind.maxBytes) {
    return uploadFailed({
      kind: "media_too_large",
      message: `X takes a ${kind.name} of at most ${kind.maxBytes} bytes; this one has ${bytes}.`,
    });
  }
  return ok(planFor(kind, bytes));
}

/** The size of a large file's parts. */
const PART_BYTES = 4 * 1024 * 1024;

function planFor(kind: MediaKind, bytes: number): MediaPlan {
  return {
    media_type: kind.type,
    file_size_bytes: bytes,
    upload_strategy: kind.inParts ? "chunked" : "simple",
    segment_count: kind.inParts ? Math.ceil(bytes / PART_BYTES) : 1,
    processing_required: kind.inParts,
  };
}

async function lookInto(path: string): Promise<{ kind: MediaKind | undefined; bytes: number } | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const status = await file.stat();
    if (!status.isFile() || status.size === 0) return undefined;
    const { buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { kind: mediaKindOf(buffer), bytes: status.size };
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function uploadFailed(failure: UploadFailure): Failed<Failure<MediaCode>> {
  switch (failure.kind) {
    case "unreadable_file":
      return errors.fail("file_read_error", failure.message, {
        suggestedFix: "Check that the file is there, is not empty, and may be read by this process.",
        fixBy: "operator",
      });
    case "unsupported_media":
      return errors.fail("unsupported_media_type", failure.message, {
        suggestedFix: "Convert the file first.",
        fixBy: "agent",
      });
    case "media_too_large":
      return errors.fail("media_upload_error", failure.message, {
        reason: "too_large",
        suggestedFix: "Make the file smaller first.",
        fixBy: "agent",
      });
    case "processing_failed":
    case "processing_timeout":
      return errors.fail("media_upload_error", failure.message, {
        reason: "processing_failed",
        suggestedFix: "Encode the file anew (H.264 with AAC for video) and upload that.",
        fixBy: "agent",
      });
    default:
      if (isAboutTheFile(failure)) return refusedFile(failure);
      // A 404 refers to the file.
      return xFailed(failure, "write") as Failed<Failure<MediaCode>>;
  }
}

/** Not the account, plan or rate. */
function isAboutTheFile(failure: ProviderError): boolean {
  switch (failure.kind) {
    case "invalid_request":
    case "not_found":
      return true;
    case "forbidden":
      return failure.reason === "unspecified";
    case "other":
      return OF_THE_ARGUMENTS.has(failure.status ?? 0);
    default:
      return false;
  }
}

function refusedFile(failure: ProviderError): Failed<Failure<MediaCode>> {
  const { details, message } = xFailed(failure, "write").failure;
  return errors.fail("media_upload_error", message, {
    reason: "refused_by_x",
    suggestedFix: "Upload another file, or this one in another format.",
    fixBy: "agent",
    ...(details !== undefined && { details }),
  });
}
