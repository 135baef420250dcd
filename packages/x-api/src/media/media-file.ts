import { constants, type FileHandle, open } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { errorCode } from "../network-error.ts";
import { HEAD_BYTES, type MediaKind, mediaKindOf } from "./media-kind.ts";

/** An open file of a type and size that X accepts. */
export interface MediaFile {
  readonly kind: MediaKind;
  readonly bytes: number;
  /** Fills `target` with bytes from `start` and returns the part that was filled. */
  read(start: number, target: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export type FileProblem =
  | { readonly kind: "unreadable_file"; readonly message: string }
  | { readonly kind: "unsupported_media"; readonly message: string }
  | { readonly kind: "media_too_large"; readonly message: string };

/** Opens a file and refuses what X would refuse, before a byte is sent. */
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
