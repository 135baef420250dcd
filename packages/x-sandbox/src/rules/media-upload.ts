import { day, second } from "../clock.ts";
import { kindOf, type Media, type MediaCategory, type Segment } from "../world/media.ts";
import { contentFits } from "./file-type.ts";

/**
 * Receiving parts, processing (except pictures), then ready or failed. A step that is not allowed returns a
 * fault.
 */
export type UploadFault =
  | "not_receiving"
  | "empty_segment"
  | "segment_too_large"
  | "more_than_announced"
  | "segments_missing"
  | "less_than_announced"
  | "wrong_content";

export interface UploadPlan {
  readonly id: string;
  readonly ownerId: string;
  readonly category: MediaCategory;
  readonly type: string;
  readonly totalBytes: number;
}

export function beginUpload(plan: UploadPlan, now: number): Media {
  const kind = kindOf(plan.category);
  return {
    ...plan,
    createdAt: now,
    segments: new Map(),
    state: "receiving",
    processing: undefined,
    failure: undefined,
    altText: undefined,
    // Pictures are not decoded.
    width: 1_280,
    height: 720,
    durationMs: kind === "video" ? 30_000 : undefined,
    expiresAt: now + day,
  };
}

export function receive(media: Media, index: number, segment: Segment): UploadFault | undefined {
  if (media.state !== "receiving") return "not_receiving";
  if (segment.bytes === 0) return "empty_segment";
  if (segment.bytes > maxSegmentBytes) return "segment_too_large";
  const others = receivedBytes(media) - (media.segments.get(index)?.bytes ?? 0);
  if (others + segment.bytes > media.totalBytes) return "more_than_announced";
  media.segments.set(index, segment);
  return undefined;
}

/** Pictures are checked immediately, videos and GIFs during processing. */
export function finish(media: Media, now: number): UploadFault | undefined {
  if (media.state !== "receiving") return "not_receiving";
  for (let index = 0; index < media.segments.size; index++)
    if (!media.segments.has(index)) return "segments_missing";
  if (media.segments.size === 0 || receivedBytes(media) !== media.totalBytes) return "less_than_announced";
  const fits = contentFits(media.type, media.segments.get(0)?.head ?? new Uint8Array());
  const kind = kindOf(media.category);
  if (kind === "photo" || kind === "subtitles") {
    if (!fits) return "wrong_content";
    media.state = "ready";
    return undefined;
  }
  media.failure = fits ? undefined : "The content is not what was announced.";
  media.state = "processing";
  media.processing = { from: now, takes: 2 * second + Math.ceil(media.totalBytes / bytesPerSecond) * second };
  return undefined;
}

export function settle(media: Media, now: number): void {
  if (media.state !== "processing" || media.processing === undefined) return;
  if (now >= media.processing.from + media.processing.takes)
    media.state = media.failure === undefined ? "ready" : "failed";
}

export function progressOf(media: Media, now: number): number {
  if (media.processing === undefined) return media.state === "ready" ? 100 : 0;
  return Math.min(100, Math.floor(((now - media.processing.from) / media.processing.takes) * 100));
}

export function receivedBytes(media: Media): number {
  let sum = 0;
  for (const segment of media.segments.values()) sum += segment.bytes;
  return sum;
}

const maxSegmentBytes = 5 * 1_048_576;
const bytesPerSecond = 20 * 1_048_576;
