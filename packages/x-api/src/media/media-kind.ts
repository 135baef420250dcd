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

/**
 * How the head of a file says what it is. HEIC, AVIF and M4A are built like MP4, so only the brands of films count.
 */
const signatures: readonly { readonly kind: MediaKind; readonly head: RegExp }[] = [
  { kind: { ...image, type: "image/jpeg" }, head: /^\xff\xd8\xff/ },
  { kind: { ...image, type: "image/png" }, head: /^\x89PNG\r\n.\n/ },
  { kind: { ...image, type: "image/webp" }, head: /^RIFF.{4}WEBP/s },
  { kind: { ...gif, type: "image/gif" }, head: /^GIF8[79]a/ },
  { kind: { ...video, type: "video/quicktime" }, head: /^.{4}ftypqt {2}/s },
  { kind: { ...video, type: "video/mp4" }, head: /^.{4}ftyp(?:iso[m2-6]|mp4[12]|avc1|M4V |dash|MSNV)/s },
];

/** How many bytes of a file `mediaKindOf` wants to see. */
export const HEAD_BYTES = 16;

/** Detects the kind of a file by its content, not its name. */
export function mediaKindOf(head: Uint8Array): MediaKind | undefined {
  const text = Buffer.from(head).toString("latin1");
  return signatures.find((signature) => signature.head.test(text))?.kind;
}
