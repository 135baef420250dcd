import type { Answer } from "../http/answer.ts";
import { badValue } from "../http/problems.ts";
import { kindOf, type Media, type MediaCategory, type MediaKind } from "../world/media.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { settle } from "./media-upload.ts";

export const maxBytes: Readonly<Record<MediaKind, number>> = {
  photo: 5 * 1_048_576,
  animated_gif: 15 * 1_048_576,
  video: 512 * 1_048_576,
  subtitles: 512 * 1_024,
};

/** Own, ready, and at most four pictures or one video. */
export function refusedMedia(
  world: World,
  me: Person,
  ids: readonly string[],
  purpose: "tweet" | "dm",
  now: number,
): Answer | undefined {
  const media = ids.map((id) => world.media.get(id));
  const usable = media.every((item) => item !== undefined && isUsable(item, me, purpose, now));
  const moving = media.filter((item) => item !== undefined && kindOf(item.category) !== "photo").length;
  const fits = new Set(ids).size === ids.length && (moving === 0 || ids.length === 1);
  if (usable && fits) return undefined;
  return badValue(
    purpose === "tweet" ? "media.media_ids" : "attachments",
    ids.join(),
    "Your media IDs are invalid.",
  );
}

function isUsable(media: Media, me: Person, purpose: "tweet" | "dm", now: number): boolean {
  settle(media, now);
  if (media.ownerId !== me.id || !servesFor(media.category, purpose)) return false;
  return media.state === "ready" && (media.expiresAt === undefined || now < media.expiresAt);
}

function servesFor(category: MediaCategory, purpose: "tweet" | "dm"): boolean {
  return category.startsWith(`${purpose}_`) || (purpose === "tweet" && category === "amplify_video");
}
