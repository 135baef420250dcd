import { constants, type FileHandle, open } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { errorCode } from "../errors.ts";

export interface MediaFile {
  readonly kind: MediaKind;
  readonly bytes: number;
  /** Returns the filled part. */
  read(start: number, target: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export type FileProblem =
  | { readonly kind: "unreadable_file"; readonly message: string }
  | { readonly kind: "unsupported_media"; readonly message: string }
  | { readonly kind: "media_too_large"; readonly message: string };

/** Rejects a file that X would reject. */
export async function openMediaFile(path: string): Promise<Outcome<MediaFile, FileProblem>> {
  let handle: FileHandle;
  try {
    // Non-blocking: opening a pipe without a writer would never return.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return failed({ kind: "unreadable_file", message: unreadable(errorCode(error)) });
  }
  const accepted = await inspect(handle);
  if (!accepted.ok) await handle.close();
  return accepted;
}

async function inspect(handle: FileHandle): Promise<Outcome<MediaFile, FileProblem>> {
  const stat = await handle.stat();
  const { size } = stat;
  if (!stat.isFile()) return failed({ kind: "unreadable_file", message: "The path is not a regular file." });
  if (size === 0) return failed({ kind: "unreadable_file", message: "The file is empty." });
  const read: MediaFile["read"] = async (start, target) => {
    const { bytesRead } = await handle.read(target, 0, target.length, start);
    return target.subarray(0, bytesRead);
  };
  const kind = mediaKindOf(await read(0, new Uint8Array(HEAD_BYTES)));
  if (kind === undefined)
    return failed({
      kind: "unsupported_media",
      message: "X takes JPEG, PNG, WebP, GIF, MP4 and MOV; this file is none of them by its content.",
    });
  if (size > kind.maxBytes)
    return failed({
      kind: "media_too_large",
      message: `X takes a ${kind.name} of at most ${kind.maxBytes} bytes; this one has ${size}.`,
    });
  return ok({ kind, bytes: size, read, close: () => handle.close() });
}

function unreadable(code: string | undefined): string {
  if (code === "ENOENT") return "There is no such file.";
  if (code === "EACCES" || code === "EPERM") return "The file cannot be read: permission denied.";
  return `The file cannot be opened (${code ?? "unknown error"}).`;
}

export interface MediaKind {
  readonly name: "image" | "gif" | "video";
  readonly type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "video/mp4" | "video/quicktime";
  readonly category: "tweet_image" | "tweet_gif" | "tweet_video";
  readonly maxBytes: number;
  /** Images go in one request, others in parts. */
  readonly inParts: boolean;
}

const MiB = 1024 * 1024;
const image = { name: "image", category: "tweet_image", maxBytes: 5 * MiB, inParts: false } as const;
const gif = { name: "gif", category: "tweet_gif", maxBytes: 15 * MiB, inParts: true } as const;
const video = { name: "video", category: "tweet_video", maxBytes: 512 * MiB, inParts: true } as const;

/** HEIC, AVIF and M4A use the MP4 container, so only video brands count. */
const signatures: readonly { readonly kind: MediaKind; readonly head: RegExp }[] = [
  { kind: { ...image, type: "image/jpeg" }, head: /^\xff\xd8\xff/ },
  { kind: { ...image, type: "image/png" }, head: /^\x89PNG\r\n.\n/ },
  { kind: { ...image, type: "image/webp" }, head: /^RIFF.{4}WEBP/s },
  { kind: { ...gif, type: "image/gif" }, head: /^GIF8[79]a/ },
  { kind: { ...video, type: "video/quicktime" }, head: /^.{4}ftypqt {2}/s },
  { kind: { ...video, type: "video/mp4" }, head: /^.{4}ftyp(?:iso[m2-6]|mp4[12]|avc1|M4V |dash|MSNV)/s },
];

export const HEAD_BYTES = 16;

/** By content, not name. */
export function mediaKindOf(head: Uint8Array): MediaKind | undefined {
  const text = Buffer.from(head).toString("latin1");
  return signatures.find((signature) => signature.head.test(text))?.kind;
}
