import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { XClient } from "../client.ts";
import { type Clock, pause, systemClock } from "../clock.ts";
import { networkError, type ProviderError } from "../errors.ts";
import { type FileProblem, type MediaFile, type MediaKind, openMediaFile } from "./media-file.ts";

export interface UploadOptions {
  readonly path: string;
  /** At most 1,000 characters. */
  readonly altText?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly clock?: Clock;
}

export interface UploadProgress {
  readonly phase: "sending" | "processing";
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadedMedia {
  readonly mediaId: string;
  readonly kind: MediaKind["name"];
  readonly type: MediaKind["type"];
  readonly bytes: number;
  readonly expiresAt?: number;
  /** The file itself is uploaded. */
  readonly altTextFailure?: ProviderError;
}

export type UploadFailure = ProviderError | FileProblem | ProcessingProblem;

const PART_BYTES = 4 * 1024 * 1024;
const MAX_ALT_TEXT = 1_000;

/**
 * Uploads a file to X and waits until a post can use it. Large files are read in parts.
 *
 * @example
 * const uploaded = await uploadMedia(client, { path: "cat.png", altText: "A cat asleep on a keyboard" });
 * if (uploaded.ok) await client.call("createPosts", { body: { text: "Busy.", media: { media_ids: [uploaded.value.mediaId] } } });
 */
export async function uploadMedia(
  client: XClient,
  options: UploadOptions,
): Promise<Outcome<UploadedMedia, UploadFailure>> {
  if ([...(options.altText ?? "")].length > MAX_ALT_TEXT)
    return failed({
      kind: "invalid_request",
      parameters: ["alt_text"],
      message: `The alternative text must have at most ${MAX_ALT_TEXT} characters; nothing was sent.`,
    });
  const opened = await openMediaFile(options.path);
  if (!opened.ok) return opened;
  const file = opened.value;
  try {
    const sent = file.kind.inParts
      ? await sendInParts(client, file, options)
      : await sendWhole(client, file, options);
    if (!sent.ok) return sent;
    const ready = await awaitProcessing(client, sent.value.id, sent.value.processing_info, {
      signal: options.signal,
      clock: options.clock ?? systemClock,
      onWait: () =>
        options.onProgress?.({ phase: "processing", sentBytes: file.bytes, totalBytes: file.bytes }),
    });
    if (!ready.ok) return ready;
    return ok({
      ...describe(sent.value, file, options),
      ...(await setAltText(client, sent.value.id, options)),
    });
  } finally {
    await file.close();
  }
}

interface UploadAnswer {
  readonly id: string;
  readonly expires_after_secs?: number;
  readonly processing_info?: ProcessingInfo;
}

type Sent = Promise<Outcome<UploadAnswer, ProviderError | FileProblem>>;

async function sendWhole(client: XClient, file: MediaFile, { signal, onProgress }: UploadOptions): Sent {
  const media = await file.read(0, new Uint8Array(file.bytes));
  if (media.length < file.bytes) return shortened();
  const answer = await client.call<UploadAnswer>("mediaUpload", {
    body: { media, media_category: file.kind.category },
    ...(signal && { signal }),
  });
  if (answer.ok) onProgress?.({ phase: "sending", sentBytes: file.bytes, totalBytes: file.bytes });
  return dataOf(answer);
}

async function sendInParts(client: XClient, file: MediaFile, { signal, onProgress }: UploadOptions): Sent {
  const totalBytes = file.bytes;
  const begun = dataOf(
    await client.call<UploadAnswer>("initializeMediaUpload", {
      body: { media_type: file.kind.type, media_category: file.kind.category, total_bytes: totalBytes },
      ...(signal && { signal }),
    }),
  );
  if (!begun.ok) return begun;
  const path = { id: begun.value.id };
  // One buffer: once X has answered, its bytes have been sent.
  const buffer = new Uint8Array(Math.min(PART_BYTES, totalBytes));
  for (let sentBytes = 0, index = 0; sentBytes < totalBytes; index++) {
    const length = Math.min(PART_BYTES, totalBytes - sentBytes);
    const media = await file.read(sentBytes, buffer.subarray(0, length));
    if (media.length < length) return shortened();
    const body = { media, segment_index: index };
    const appended = await client.call("appendMediaUpload", { path, body, ...(signal && { signal }) });
    if (!appended.ok) return appended;
    sentBytes += length;
    onProgress?.({ phase: "sending", sentBytes, totalBytes });
  }
  return dataOf(await client.call<UploadAnswer>("finalizeMediaUpload", { path, ...(signal && { signal }) }));
}

function shortened(): Outcome<never, FileProblem> {
  return failed({ kind: "unreadable_file", message: "The file became shorter while it was being sent." });
}

function dataOf(answer: Awaited<ReturnType<XClient["call"]>>): Outcome<UploadAnswer, ProviderError> {
  if (!answer.ok) return answer;
  // Unchecked, except for the member that later steps need.
  const data = answer.value.data as Partial<UploadAnswer> | null;
  if (typeof data?.id === "string") return ok({ ...data, id: data.id });
  return failed({ kind: "other", message: "X accepted the file without giving its id." });
}

function describe(
  answer: UploadAnswer,
  file: MediaFile,
  { clock = systemClock }: UploadOptions,
): UploadedMedia {
  const { name, type } = file.kind;
  const expires = answer.expires_after_secs;
  return {
    mediaId: answer.id,
    kind: name,
    type,
    bytes: file.bytes,
    ...(expires !== undefined && { expiresAt: clock.now() + expires * 1000 }),
  };
}

async function setAltText(
  client: XClient,
  id: string,
  { altText, signal }: UploadOptions,
): Promise<Pick<UploadedMedia, "altTextFailure">> {
  if (altText === undefined) return {};
  const body = { id, metadata: { alt_text: { text: altText } } };
  const set = await client.call("createMediaMetadata", { body, ...(signal && { signal }) });
  return set.ok ? {} : { altTextFailure: set.failure };
}

export interface ProcessingInfo {
  readonly state?: string;
  readonly check_after_secs?: number;
}

export type ProcessingProblem =
  | { readonly kind: "processing_failed"; readonly message: string }
  | { readonly kind: "processing_timeout"; readonly message: string };

const MAX_MS = 10 * 60_000;
const FIRST_GUESS_SECS = 5;
const MAX_PAUSE_SECS = 30;

export interface WaitOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onWait: () => void;
}

/** Polls at X's requested interval. */
async function awaitProcessing(
  client: XClient,
  mediaId: string,
  first: ProcessingInfo | undefined,
  { clock, signal, onWait }: WaitOptions,
): Promise<Outcome<undefined, ProviderError | ProcessingProblem>> {
  const giveUpAt = clock.now() + MAX_MS;
  let info = first;
  while (info !== undefined && info.state !== "succeeded") {
    if (info.state === "failed")
      return failed({
        kind: "processing_failed",
        message: "X could not process the file. Try another encoding of it.",
      });
    const waitMs = 1000 * clamp(info.check_after_secs ?? FIRST_GUESS_SECS, 1, MAX_PAUSE_SECS);
    if (clock.now() + waitMs > giveUpAt)
      return failed({
        kind: "processing_timeout",
        message: "X was still processing the file after ten minutes.",
      });
    onWait();
    await pause(clock, waitMs, signal);
    if (signal?.aborted) return failed(networkError("aborted", false));
    const answer = await client.call<{ readonly processing_info?: ProcessingInfo }>("getMediaUploadStatus", {
      query: { media_id: mediaId, command: "STATUS" },
      ...(signal && { signal }),
    });
    if (!answer.ok) return answer;
    info = answer.value.data?.processing_info;
  }
  return ok(undefined);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
