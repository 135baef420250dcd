import type { Random } from "../../random.ts";
import type { Media } from "../media.ts";
import type { World } from "../world.ts";

/** A picture that has been on X for a while. */
export function seedImage(world: World, random: Random, ownerId: string, at: number): Media {
  const media: Media = {
    id: world.idAt(at),
    ownerId,
    category: "tweet_image",
    type: "image/jpeg",
    totalBytes: random.between(20_000, 900_000),
    createdAt: at,
    segments: new Map(),
    state: "ready",
    processing: undefined,
    failure: undefined,
    altText: random.chance(0.5) ? "A workbench with a half-finished map" : undefined,
    width: 1_200,
    height: 800,
    durationMs: undefined,
    expiresAt: undefined,
  };
  world.media.set(media.id, media);
  return media;
}
