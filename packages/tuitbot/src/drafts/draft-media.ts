import { type Failure, failed, type JsonObject, type Outcome, ok } from "@toolpact/contract";
import { HOUR_MS } from "@toolpact/contract/internal";
import { type Micros, microsOf } from "@toolpact/contract/internal/money";
import { priceBefore } from "@toolpact/x-api";
import * as z from "zod";
import type { CallResult } from "../approval/release.ts";
import { errors } from "../errors.ts";
import { IDEMPOTENCY_KEY, OWN_KEY } from "../guards/receipts/receipt.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";
import { MAX_PATH } from "../x/text-limits.ts";
import { planUpload } from "../x/toolkit/media.ts";

export interface DraftMedia {
  /** From 1. */
  readonly post: number;
  readonly file_path: string;
  readonly alt_text?: string | undefined;
  /** With its time. */
  readonly media_id?: string | undefined;
  readonly uploaded_at?: number | undefined;
}

export const mediaShape = z.strictObject({
  post: z.int().min(1).max(100).default(1).describe("Which post of a thread, from 1"),
  file_path: z.string().min(1).max(MAX_PATH).describe("Absolute path inside media.roots"),
  alt_text: z.string().min(1).max(1000).optional().describe("What it shows, for people who cannot see it"),
});

const MAX_PER_POST = 4;

/** Sends nothing. */
export async function checkMedia(
  media: readonly DraftMedia[],
  posts: number,
  roots: readonly string[],
): Promise<Outcome<"usable", Failure<FileCode>>> {
  for (const { post, file_path } of media) {
    if (post > posts) return refused(`\`media\` names post ${post}, and there are ${posts}.`);
    const plan = await planUpload({ path: file_path }, { roots });
    // Planning sends nothing, so no other codes occur.
    if (!plan.ok) return failed(plan.failure as Failure<FileCode>);
  }
  const isTooMany = media.some(
    ({ post }) => media.filter((other) => other.post === post).length > MAX_PER_POST,
  );
  return isTooMany ? refused(`A post shows at most ${MAX_PER_POST} files.`) : ok("usable");
}

/** Before the file is sent. */
export type FileCode = "invalid_input" | "unsupported_media_type" | "file_read_error" | "media_upload_error";

function refused(message: string) {
  return errors.fail("invalid_input", message, { fixBy: "agent" });
}

/** X charges for alt texts. */
export function uploadMicros(media: readonly DraftMedia[]): Micros {
  const { usd } = priceBefore("createMediaMetadata", { body: {} });
  return media.filter(({ alt_text }) => alt_text !== undefined).length * microsOf(usd);
}

/** Per post. */
export function mediaIdsPerPost(media: readonly DraftMedia[], posts: number): readonly (readonly string[])[] {
  return Array.from({ length: posts }, (_, index) =>
    media.flatMap(({ post, media_id }) => (post === index + 1 && media_id !== undefined ? [media_id] : [])),
  );
}

export interface UploadContext {
  readonly now: () => number;
  readonly call: (tool: string, args: JsonObject) => Promise<CallResult>;
}

/** Those X lacks or may have forgotten. Posts before `firstOpen` are published. */
export async function uploadMedia(
  { call, now }: UploadContext,
  media: readonly DraftMedia[],
  key: string,
  firstOpen = 1,
): Promise<Outcome<readonly DraftMedia[], Extract<CallResult, { ok: false }>>> {
  const uploaded: DraftMedia[] = [];
  for (const [index, file] of media.entries()) {
    const isFresh = file.uploaded_at !== undefined && now() - file.uploaded_at < FORGOTTEN_MS;
    if (isFresh || file.post < firstOpen) {
      uploaded.push(file);
      continue;
    }
    // A restarted process must not upload twice.
    const hour = Math.floor(now() / HOUR_MS);
    const { post, file_path, alt_text } = file;
    const sent = await call("x_upload_media", {
      file_path,
      ...(alt_text !== undefined && { alt_text }),
      [IDEMPOTENCY_KEY]: `${OWN_KEY}${key}-media-${index}-${hour}`,
    });
    if (sent.ok === null) return failed(uploadWaits(sent.queued.approval_queue_id));
    if (!sent.ok) return failed(sent);
    const media_id = textIn(objectIn(sent.result), "media_id");
    uploaded.push({ post, file_path, alt_text, media_id, uploaded_at: now() });
  }
  return ok(uploaded);
}

function uploadWaits(item: number): Extract<CallResult, { ok: false }> {
  const { failure } = errors.fail("validation_error", `Its media wait for approval as item ${item}.`, {
    suggestedFix: "Publish the draft again when the person has approved the upload.",
    fixBy: "human",
    details: { approval_queue_id: item },
  });
  return { ok: false, failure, isRetryable: false };
}
/** X forgets an unused upload after 24 hours. */
const FORGOTTEN_MS = 20 * HOUR_MS;

export function mediaJson(media: readonly DraftMedia[]): string | null {
  return media.length === 0 ? null : JSON.stringify(media);
}

export function mediaFrom(json: string | null): readonly DraftMedia[] {
  // Written as a list of this shape.
  return json === null ? [] : (JSON.parse(json) as DraftMedia[]);
}
