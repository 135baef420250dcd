/** A kind of file X takes for posts: what it is called, how large it may be, how it is sent. */
export interface MediaKind {
  readonly name: "image" | "gif" | "video";
  readonly type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "video/mp4" | "video/quicktime";
  readonly category: "tweet_image" | "tweet_gif" | "tweet_video";
  readonly maxBytes: number;
  /** Images go in one request; the rest in parts, and X processes them afterwards. */
  readonly inParts: boolean;
}

const MiB = 1024 * 1024;
const image = { name: "image", category: "tweet_image", maxBytes: 5 * MiB, inParts: false } as const;
const gif = { name: "gif", category: "tweet_gif", maxBytes: 15 * MiB, inParts: true } as const;
const video = { name: "video", category: "tweet_video", maxBytes: 512 * MiB, inParts: true } as const;

/** Bytes at the head of a file that say what it is. */
const signatures: readonly { readonly kind: MediaKind; readonly at: number; readonly bytes: string }[] = [
  { kind: { ...image, type: "image/jpeg" }, at: 0, bytes: "\xff\xd8\xff" },
  { kind: { ...image, type: "image/png" }, at: 0, bytes: "\x89PNG\r\n\x1a\n" },
  { kind: { ...image, type: "image/webp" }, at: 8, bytes: "WEBP" },
  { kind: { ...gif, type: "image/gif" }, at: 0, bytes: "GIF87a" },
  { kind: { ...gif, type: "image/gif" }, at: 0, bytes: "GIF89a" },
  { kind: { ...video, type: "video/quicktime" }, at: 4, bytes: "ftypqt" },
  { kind: { ...video, type: "video/mp4" }, at: 4, bytes: "ftyp" },
];

/** How many bytes of a file `mediaKindOf` wants to see. */
export const HEAD_BYTES = 16;

/** What a file is by its content; its name says nothing. */
export function mediaKindOf(head: Uint8Array): MediaKind | undefined {
  const text = Buffer.from(head).toString("latin1");
  return signatures.find(({ at, bytes }) => text.startsWith(bytes, at))?.kind;
}
