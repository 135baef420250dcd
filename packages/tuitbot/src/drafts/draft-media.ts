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

/** A file that a post of a draft shows. */
export interface DraftMedia {
  /** Which post of the draft, from 1. */
  readonly post: number;
  readonly file_path: string;
  readonly alt_text?: string | undefined;
  /** The id of the upload and its time. */
  readonly media_id?: string | undefined;
  readonly uploaded_at?: number | undefined;
}

/** The media of a draft in the arguments and answers of tools. */
export const mediaShape = z.strictObject({
  post: z.int().min(1).max(100).default(1).describe("Which post of a thread, from 1"),
  file_path: z.string().min(1).max(MAX_PATH).describe("Absolute path inside media.roots"),
  alt_text: z.string().min(1).max(1000).optional().describe("What it shows, for people who cannot see it"),
});

const MAX_PER_POST = 4;

/** Checks that every file can be uploaded and belongs to a post. Nothing is sent. */
export async function checkMedia(
  media: readonly DraftMedia[],
  posts: number,
  roots: readonly string[],
): Promise<Outcome<"usable", Failure<FileCode>>> {
  for (const { post, file_path } of media) {
    if (post > posts) return refused(`\`media\` names post ${post}, and there are ${posts}.`);
    const plan = await planUpload({ path: file_path }, { roots });
    // Planning sends nothing to X, so it returns no other codes.
    if (!plan.ok) return failed(plan.failure as Failure<FileCode>);
  }
  const isTooMany = media.some(
    ({ post }) => media.filter((other) => other.post === post).length > MAX_PER_POST,
  );
  return isTooMany ? refused(`A post shows at most ${MAX_PER_POST} files.`) : ok("usable");
}

/** Errors about a file that occur before it is sent to X. */
export type FileCode = "invalid_input" | "unsupported_media_type" | "file_read_error" | "media_upload_error";

function refused(message: string) {
  return errors.fail("invalid_input", message, { fixBy: "agent" });
}

/** The price of uploading the files: X charges for their alt texts. */
export function uploadMicros(media: readonly DraftMedia[]): Micros {
  const { usd } = priceBefore("createMediaMetadata", { body: {} });
  return media.filter(({ alt_text }) => alt_text !== undefined).length * microsOf(usd);
}

/** The ids of the uploads, per post. */
export function mediaIdsPerPost(media: readonly DraftMedia[], posts: number): readonly (readonly string[])[] {
  return Array.from({ length: posts }, (_, index) =>
    media.flatMap(({ post, media_id }) => (post === index + 1 && media_id !== undefined ? [media_id] : [])),
  );
}

export interface UploadContext {
  readonly now: () => number;
  readonly call: (tool: string, args: JsonObject) => Promise<CallResult>;
}

/**
 * Uploads the files that X does not have, or may have forgotten. The posts before `firstOpen` are published and keep
 * their uploads.
 */
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
    // The same key within an hour is the same upload: a process that restarts does not upload twice.
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
/** X forgets an upload that no post uses after 24 hours. */
const FORGOTTEN_MS = 20 * HOUR_MS;

/** As stored. */
export function mediaJson(media: readonly DraftMedia[]): string | null {
  return media.length === 0 ? null : JSON.stringify(media);
}

export function mediaFrom(json: string | null): readonly DraftMedia[] {
  // Written by this product as a list of exactly this shape.
  return json === null ? [] : (JSON.parse(json) as DraftMedia[]);
}
