import { second } from "../clock.ts";
import { type Answer, success } from "../http/answer.ts";
import type { Input, UploadedPart } from "../http/input.ts";
import { badValue, missing, notFound } from "../http/problems.ts";
import type { JsonDraft, JsonObject } from "../json.ts";
import { renderMedia } from "../render/media.ts";
import { kindOfType, typeByContent } from "../rules/file-type.ts";
import { maxBytes } from "../rules/media.ts";
import { beginUpload, finish, progressOf, receive, settle, type UploadFault } from "../rules/media-upload.ts";
import { kindOf, type Media, type MediaCategory, mediaCategories, mediaKey } from "../world/media.ts";
import type { Person } from "../world/person.ts";
import { forUser, type Handler, type Handlers, type OperationContext, viewOf } from "./context.ts";

export const media = {
  mediaUpload: forUser((input, context, me) => {
    const file = input.files.get("media");
    const category = categoryOf(input.body.text("media_category"));
    if (file === undefined || category === undefined)
      return badValue("media", "", "The `media` part is missing.");
    const type = typeByContent(file.head) ?? (category === "subtitles" ? "text/srt" : "");
    const refusal = refusedFile(category, type, file.bytes);
    if (refusal !== undefined) return refusal;
    const upload = beginUpload(
      { id: context.world.idAt(context.now), ownerId: me.id, category, type, totalBytes: file.bytes },
      context.now,
    );
    const fault = receiveAll(upload, file) ?? finish(upload, context.now);
    if (fault !== undefined) return refusedUpload(fault, upload);
    context.world.media.set(upload.id, upload);
    return success({ data: statusOf(upload, context.now) });
  }),

  initializeMediaUpload: forUser((input, context, me) => {
    const type = input.body.text("media_type");
    const totalBytes = input.body.number("total_bytes");
    if (type === undefined) return badValue("media_type", "", "The `media_type` field can not be empty.");
    if (totalBytes === undefined)
      return badValue("total_bytes", "", "The `total_bytes` field can not be empty.");
    const category = categoryOf(input.body.text("media_category")) ?? usualCategory(type);
    const refusal = refusedFile(category, type, totalBytes);
    if (refusal !== undefined) return refusal;
    const upload = beginUpload(
      { id: context.world.idAt(context.now), ownerId: me.id, category, type, totalBytes },
      context.now,
    );
    context.world.media.set(upload.id, upload);
    return success({
      data: {
        id: upload.id,
        media_key: mediaKey(upload),
        expires_after_secs: secondsLeft(upload, context.now),
      },
    });
  }),

  appendMediaUpload: ownUpload("id", (input, _scene, upload) => {
    const file = input.files.get("media");
    if (file === undefined) return badValue("media", "", "The `media` part is missing.");
    const fault = receive(upload, input.body.number("segment_index") ?? 0, file);
    if (fault !== undefined) return refusedUpload(fault, upload);
    return success({ data: { expires_at: Math.floor((upload.expiresAt ?? 0) / second) } });
  }),

  finalizeMediaUpload: ownUpload("id", (_input, context, upload) => {
    const fault = finish(upload, context.now);
    return fault === undefined
      ? success({ data: statusOf(upload, context.now) })
      : refusedUpload(fault, upload);
  }),

  getMediaUploadStatus: ownUpload("media_id", (_input, context, upload) => {
    if (upload.state === "receiving")
      return badValue("media_id", upload.id, "The upload has not been finalized.");
    return success({ data: statusOf(upload, context.now) });
  }),

  createMediaMetadata: forUser((input, context, me) => {
    const value = input.body.text("id") ?? "";
    const upload = uploadOf(value, context, me);
    if (upload === undefined) return missing({ type: "media", parameter: "id", value });
    const altText = input.body.object("metadata")?.object("alt_text")?.text("text");
    if (altText !== undefined) upload.altText = altText;
    const shown = upload.altText === undefined ? {} : { alt_text: { text: upload.altText } };
    return success({ data: { id: upload.id, associated_metadata: shown } });
  }),

  getMediaByMediaKey: (input, context) => {
    const value = input.text("media_key");
    const found = byKey(value, context);
    if (found === undefined)
      return success({ errors: [notFound({ type: "media", parameter: "media_key", value })] });
    return success({ data: renderMedia(found, viewOf(input, context)) });
  },

  getMediaByMediaKeys: (input, context) => {
    const view = viewOf(input, context);
    const data: JsonObject[] = [];
    for (const value of new Set(input.list("media_keys"))) {
      const found = byKey(value, context);
      if (found === undefined) view.errors.push(notFound({ type: "media", parameter: "media_keys", value }));
      else data.push(renderMedia(found, view));
    }
    return view.list(data);
  },
} satisfies Handlers;

function ownUpload(
  parameter: string,
  act: (input: Input, context: OperationContext, upload: Media) => Answer,
): Handler {
  return forUser((input, context, me) => {
    const value = input.text(parameter);
    const upload = uploadOf(value, context, me);
    if (upload === undefined) return missing({ type: "media", parameter, value });
    settle(upload, context.now);
    return act(input, context, upload);
  });
}

/** Until it expires. */
function uploadOf(id: string, { world, now }: OperationContext, me: Person): Media | undefined {
  const upload = world.media.get(id);
  if (upload === undefined || upload.ownerId !== me.id) return undefined;
  return upload.expiresAt !== undefined && now >= upload.expiresAt ? undefined : upload;
}

function byKey(key: string, { world }: OperationContext): Media | undefined {
  const found = world.media.get(key.slice(key.indexOf("_") + 1));
  return found !== undefined && found.state === "ready" && mediaKey(found) === key ? found : undefined;
}

function receiveAll(upload: Media, file: UploadedPart): UploadFault | undefined {
  if (file.bytes === 0) return "empty_segment";
  upload.segments.set(0, file);
  return undefined;
}

function statusOf(upload: Media, now: number): JsonObject {
  settle(upload, now);
  const data: JsonDraft = { id: upload.id, media_key: mediaKey(upload), size: upload.totalBytes };
  if (upload.expiresAt !== undefined) data.expires_after_secs = secondsLeft(upload, now);
  if (kindOf(upload.category) === "photo")
    data.image = { image_type: upload.type, w: upload.width, h: upload.height };
  if (kindOf(upload.category) === "video") data.video = { video_type: upload.type };
  if (upload.processing !== undefined) data.processing_info = processingOf(upload, upload.processing, now);
  return data;
}

function processingOf(
  upload: Media,
  { from, takes }: NonNullable<Media["processing"]>,
  now: number,
): JsonObject {
  if (upload.state === "ready") return { state: "succeeded", progress_percent: 100 };
  if (upload.state === "failed") return { state: "failed", progress_percent: 100 };
  const left = Math.ceil((from + takes - now) / second);
  return {
    state: now === from ? "pending" : "in_progress",
    check_after_secs: Math.max(1, Math.min(5, left)),
    progress_percent: progressOf(upload, now),
  };
}

function secondsLeft(upload: Media, now: number): number {
  return Math.max(0, Math.floor(((upload.expiresAt ?? now) - now) / second));
}

function refusedFile(category: MediaCategory, type: string, bytes: number): Answer | undefined {
  const kind = kindOf(category);
  if (kindOfType(type) !== kind)
    return badValue(
      "media_category",
      category,
      `Media type [${type}] does not fit the category ${category}.`,
    );
  if (bytes === 0) return badValue("total_bytes", "0", "The file is empty.");
  if (bytes > maxBytes[kind])
    return badValue("total_bytes", String(bytes), `File size exceeds ${maxBytes[kind]} bytes.`);
  return undefined;
}

function refusedUpload(fault: UploadFault, upload: Media): Answer {
  return badValue("media", upload.id, faults[fault]);
}

const faults: Readonly<Record<UploadFault, string>> = {
  not_receiving: "The upload is finalized and takes no more parts.",
  empty_segment: "The part is empty.",
  segment_too_large: "The part is larger than 5 MiB.",
  more_than_announced: "The parts are larger than the announced `total_bytes`.",
  segments_missing: "Segments do not add up: a `segment_index` is missing.",
  less_than_announced: "Segments do not add up to provided total file size.",
  wrong_content: "The content is not of the announced media type.",
};

function categoryOf(text: string | undefined): MediaCategory | undefined {
  return mediaCategories.find((category) => category === text);
}

function usualCategory(type: string): MediaCategory {
  switch (kindOfType(type)) {
    case "animated_gif":
      return "tweet_gif";
    case "video":
      return "tweet_video";
    case "subtitles":
      return "subtitles";
    default:
      return "tweet_image";
  }
}
