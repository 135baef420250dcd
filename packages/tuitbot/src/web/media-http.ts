import type { HttpExtension } from "@toolpact/contract/internal/cli";
import { openMedia, storeMedia } from "../x/toolkit/media-store.ts";
import { answerJson, Refusal } from "./json-http.ts";

/** A file is in memory while it is sent. A larger film is put into the folder by hand. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Stores the file that a request carries. */
export async function receiveFile(
  request: Request,
  readBody: Parameters<HttpExtension["answer"]>[1],
  roots: readonly string[],
): Promise<Response> {
  // Forms can be sent by any page without being asked first.
  if (request.headers.get("content-type") !== "application/octet-stream")
    throw new Refusal(415, "bad_request", "Send the file as application/octet-stream.");
  const isTooLong = Number(request.headers.get("content-length") ?? 0) > MAX_FILE_BYTES;
  const bytes = isTooLong ? undefined : await readBody(MAX_FILE_BYTES);
  if (bytes === undefined)
    throw new Refusal(
      413,
      "bad_request",
      `The page takes files of at most ${MAX_FILE_BYTES / 2 ** 20} MiB.`,
      {
        fix: "Put it into the first folder of `media.roots`, and let an agent or `tuitbot drafts` name it.",
      },
    );
  const stored = await storeMedia(bytes, roots);
  if (!stored.ok) throw Refusal.of(409, "refused", stored.failure);
  return answerJson(stored.value);
}

/** Sends the file that a request names, as what it is by its content and as nothing else. */
export async function sendFile(request: Request, roots: readonly string[]): Promise<Response> {
  const opened = await openMedia(new URL(request.url).searchParams.get("file") ?? "", roots);
  if (!opened.ok) throw Refusal.of(404, "not_found", opened.failure);
  const { content, media_type, file_size_bytes } = opened.value;
  // Node's type of a stream differs from the browser's, with which the dashboard is type-checked.
  return new Response(content as ConstructorParameters<typeof Response>[0], {
    headers: {
      "content-type": media_type,
      "content-length": String(file_size_bytes),
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    },
  });
}
