import type { Json, JsonObject } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../errors.ts";

/**
 * The animations of a SpriteFrames are a list of dictionaries without declared types. Godot silently drops unexpected
 * parts: a path in place of a texture becomes null, a frame without a duration is left out. So the values
 * get their types here, before any driver sees them.
 */
export function withSpriteFrames(json: JsonObject, isSpriteFrames = false): Made<JsonObject> {
  const out: Record<string, Json> = {};
  for (const [name, value = null] of Object.entries(json)) {
    const isAnimations =
      name === "sprite_frames:animations" || (isSpriteFrames && name === "animations" && value !== null);
    const made = isAnimations ? listOf(value, name, animationOf) : inside(value);
    if (!made.ok) return made;
    out[name] = made.value;
  }
  return ok(out);
}

type Made<T extends Json = Json> = Result<T, "E_SCHEMA_VALIDATION">;

/** Resources given as `{resource, properties}`, at any depth. */
function inside(json: Json): Made {
  if (Array.isArray(json)) return listOf(json, "", (item) => inside(item));
  if (!isJsonObject(json)) return ok(json);
  const { resource, properties } = json;
  if (typeof resource !== "string" || !isJsonObject(properties)) return withSpriteFrames(json);
  const made = withSpriteFrames(properties, resource === "SpriteFrames");
  return made.ok ? ok({ ...json, properties: made.value }) : made;
}

function animationOf(json: Json, place: string): Made {
  if (!isJsonObject(json)) return wrong(place, "an object");
  const { name, frames = [], loop = true, speed = 5, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined) return unknown(place, other, "name, frames, loop, speed");
  const text = textOf(name ?? null);
  if (text === undefined) return wrong(`${place}.name`, "text");
  const rate = numberOf(speed);
  if (rate === undefined) return wrong(`${place}.speed`, "a number of frames per second");
  // Godot also stores the loop mode as a number.
  if (typeof loop !== "boolean" && typeof loop !== "number") return wrong(`${place}.loop`, "true or false");
  const made = listOf(frames, `${place}.frames`, frameOf);
  if (!made.ok) return made;
  return ok({ frames: made.value, loop, name: tagged("StringName", text), speed: tagged("float", rate) });
}

function frameOf(json: Json, place: string): Made {
  if (!isJsonObject(json)) return wrong(place, "an object");
  const { texture = null, duration = 1, ...others } = json;
  const [other] = Object.keys(others);
  if (other !== undefined) return unknown(place, other, "texture, duration");
  const lasting = numberOf(duration);
  if (lasting === undefined) return wrong(`${place}.duration`, "a number");
  if (texture !== null && typeof texture !== "string" && !isJsonObject(texture))
    return wrong(`${place}.texture`, '"res://…" or {resource, properties}');
  return ok({
    duration: tagged("float", lasting),
    texture: typeof texture === "string" ? { path: texture } : texture,
  });
}

function listOf(json: Json, place: string, itemOf: (item: Json, place: string) => Made): Made {
  if (!Array.isArray(json)) return wrong(place, "a list");
  const items: Json[] = [];
  for (const [index, item] of json.entries()) {
    const made = itemOf(item as Json, `${place}[${index}]`);
    if (!made.ok) return made;
    items.push(made.value);
  }
  return ok(items);
}

/** Accepts values in the shape of answers: `{"$type": "StringName", "value": "walk"}`. */
function plain(json: Json): Json {
  return isJsonObject(json) && "$type" in json ? (json.value ?? null) : json;
}

function textOf(json: Json): string | undefined {
  const text = plain(json);
  return typeof text === "string" ? text : undefined;
}

function numberOf(json: Json): number | undefined {
  const number = plain(json);
  return typeof number === "number" ? number : undefined;
}

function tagged(type: string, value: Json): JsonObject {
  return { $type: type, value };
}

function wrong(place: string, expected: string) {
  return errors.fail("E_SCHEMA_VALIDATION", `${place} is expected to be ${expected}.`);
}

function unknown(place: string, member: string, known: string) {
  return errors.fail("E_SCHEMA_VALIDATION", `${place} has no "${member.slice(0, 40)}"; it has ${known}.`);
}
