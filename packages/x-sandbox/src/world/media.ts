/** Bytes are counted and hashed, not stored. */
export interface Media {
  readonly id: string;
  readonly ownerId: string;
  readonly category: MediaCategory;
  readonly type: string;
  readonly totalBytes: number;
  readonly createdAt: number;
  /** Sending an index again replaces it. */
  readonly segments: Map<number, Segment>;
  state: "receiving" | "processing" | "failed" | "ready";
  /** Milliseconds. */
  processing: { readonly from: number; readonly takes: number } | undefined;
  failure: string | undefined;
  altText: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | undefined;
  /** Unused uploads expire; seeded and posted media do not. */
  expiresAt: number | undefined;
}

export interface Segment {
  readonly bytes: number;
  readonly sha256: string;
  readonly head: Uint8Array;
}

export const mediaCategories = [
  "tweet_image",
  "tweet_gif",
  "tweet_video",
  "amplify_video",
  "dm_image",
  "dm_gif",
  "dm_video",
  "subtitles",
] as const;

export type MediaCategory = (typeof mediaCategories)[number];
export type MediaKind = "photo" | "animated_gif" | "video" | "subtitles";

export function kindOf(category: MediaCategory): MediaKind {
  if (category.endsWith("image")) return "photo";
  if (category.endsWith("gif")) return "animated_gif";
  return category === "subtitles" ? "subtitles" : "video";
}

export function mediaKey(media: Media): string {
  return `${keyPrefix[kindOf(media.category)]}_${media.id}`;
}

const keyPrefix: Readonly<Record<MediaKind, number>> = {
  photo: 3,
  video: 7,
  animated_gif: 16,
  subtitles: 22,
};
