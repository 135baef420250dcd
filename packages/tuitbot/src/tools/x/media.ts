import { ok } from "@toolpact/contract";
import * as z from "zod";
import { xMediaErrors } from "../../errors.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { MAX_PATH } from "../../x/text-limits.ts";
import { planUpload, upload } from "../../x/toolkit/media.ts";
import { defineTool } from "../product.ts";

export const uploadMediaTool = defineTool({
  name: "x_upload_media",
  searchWords: "upload a picture, attach an image, add a photo or video, alt text, image description",
  title: "Upload media",
  description:
    "Upload a picture, GIF or video for a post within 24 hours; returns its media_id. The file must be inside a folder of media.roots.",
  category: "media",
  effect: "create",
  openWorld: true,
  profiles: writeUpAndUtilityWrite,
  needs: ["x", "config"],
  errors: xMediaErrors,
  facts: {
    everyday: true,
    operations: [
      "mediaUpload",
      "initializeMediaUpload",
      "appendMediaUpload",
      "finalizeMediaUpload",
      "getMediaUploadStatus",
      "createMediaMetadata",
    ],
    olderNames: ["upload"],
  },
  deadlineMs: 900_000,
  input: z.strictObject({
    file_path: z.string().min(1).max(MAX_PATH).describe("Absolute path, such as /home/me/media/cat.png"),
    alt_text: z.string().min(1).max(1000).optional().describe("What it shows, for people who cannot see it"),
    dry_run: z.boolean().default(false).describe("true: only check the file, upload nothing"),
  }),
  output: z.object({
    media_id: z.string().optional(),
    dry_run: z.boolean().optional(),
    valid: z.boolean().optional(),
    media_type: z.string(),
    file_size_bytes: z.number(),
    upload_strategy: z.enum(["simple", "chunked"]),
    segment_count: z.number(),
    processing_required: z.boolean(),
    expires_at: z.string().optional().describe("When X forgets it unless a post uses it"),
    alt_text: z.string().optional(),
    alt_text_failure: z.string().optional(),
  }),
  plan: ({ file_path, alt_text, dry_run }) => ({
    file: file_path,
    isDryRun: dry_run,
    // Only the description costs money.
    ...(alt_text !== undefined && { pays: "createMediaMetadata" }),
  }),
  handler: async ({ file_path, alt_text, dry_run }, { x, config, signal, progress }) => {
    const media = { path: file_path, altText: alt_text };
    const { roots } = config.values.media;
    if (!dry_run) return upload(x.client, media, { roots, signal, progress });
    const plan = await planUpload(media, { roots });
    return plan.ok ? ok({ dry_run: true, valid: true, ...plan.value, alt_text }) : plan;
  },
});
