import type { Json, JsonDraft, JsonObject } from "../json.ts";
import { kindOf, type Media, mediaKey } from "../world/media.ts";
import type { View } from "./view.ts";

export function renderMedia(media: Media, view: View): JsonObject {
  const out: JsonDraft = { media_key: mediaKey(media), type: kindOf(media.category) };
  for (const field of view.requested.media) {
    const value = fields.get(field)?.(media);
    if (value !== undefined) out[field] = value;
  }
  return out;
}

const fields: ReadonlyMap<string, (media: Media) => Json> = new Map(
  Object.entries<(media: Media) => Json>({
    alt_text: (media) => media.altText,
    duration_ms: (media) => media.durationMs,
    height: (media) => media.height,
    preview_image_url: (media) =>
      kindOf(media.category) === "photo" ? undefined : `${address(media)}_preview.jpg`,
    public_metrics: (media) => (kindOf(media.category) === "video" ? { view_count: 0 } : undefined),
    url: (media) => (kindOf(media.category) === "photo" ? `${address(media)}.jpg` : undefined),
    variants: (media) =>
      kindOf(media.category) === "photo"
        ? undefined
        : [{ content_type: media.type, url: `${address(media)}.mp4`, bit_rate: 832_000 }],
    width: (media) => media.width,
  }),
);

function address(media: Media): string {
  return `https://pbs.example.com/media/${media.id}`;
}
