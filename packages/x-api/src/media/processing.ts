import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { XClient } from "../client.ts";
import { type Clock, pause } from "../clock.ts";
import type { ProviderError } from "../errors.ts";
import { networkError } from "../network-error.ts";

/** X's word on a file it is still working on. */
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

/** Asks X, as often as X wants to be asked, until the file is ready, refused, or has taken too long. */
export async function awaitProcessing(
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
