import { ok } from "@toolpact/contract";
import * as z from "zod";
import { xMediaErrors } from "../../errors.ts";
import { writeUpAndUtilityWrite } from "../../profiles.ts";
import { planUpload, upload } from "../../x/toolkit/media.ts";
import { defineTool } from "../product.ts";

export const uploadMediaTool = defineTool({
  name: "x_upload_media",
  title: "Upload media",
  describe:
    "Bring a picture, GIF or video to X; give media_id to a post within a day. Files come only from the folders in media.roots.",
  category: "media",
  effect: "create",
  openWorld: true,
  profiles: writeUpAndUtilityWrite,
  needs: ["x", "config"],
  errors: xMediaErrors,
  facts: {
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
    file_path: z.string().min(1).describe("Path of the file"),
    alt_text: z.string().min(1).max(1000).optional().describe("What it shows, for who cannot see it"),
    dry_run: z.boolean().default(false).describe("Only check the file"),
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
  plan: ({ file_path, dry_run }) => ({ file: file_path, isDryRun: dry_run }),
  run: async ({ file_path, alt_text, dry_run }, { x, config, signal, progress }) => {
    const wish = { path: file_path, altText: alt_text };
    const { roots } = config.values.media;
    if (!dry_run) return upload(x.client, wish, { roots, signal, progress });
    const plan = await planUpload(wish, { roots });
    return plan.ok ? ok({ dry_run: true, valid: true, ...plan.value, alt_text }) : plan;
  },
});
