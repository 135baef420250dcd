import type { JsonObject } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors, type Result } from "../../errors.ts";
import { compileGlob, MAX_PATTERN } from "../../formats/glob.ts";
import { count as amount, list, text } from "../../shapes.ts";
import { createResource, resourceCreated } from "../asset/resources.ts";
import * as p from "../params.ts";
import type { ToolAnswer } from "../product.ts";
import { sheetOf } from "./sheet.ts";
import { tileSetInput } from "./tile-set.ts";

const animation = z.strictObject({
  name: z.string().min(1),
  frames: z.union([z.string(), z.array(z.union([z.int().min(0), z.string()]))]).exactOptional(),
  speed: z.number().min(0).default(5),
  loop: z.boolean().default(true),
});

const { texture, size, margins, separation } = tileSetInput.shape;

export const spriteFramesInput = z.strictObject({
  path: p.path,
  texture: texture.optional(),
  size: size.optional(),
  margins,
  separation,
  folder: p.folder,
  animations: z
    .array(p.anyObject)
    .optional()
    .describe(
      'Of a sheet: {name, frames: "0-3" or [0, 1, 1], speed: 8, loop: true}, counted row by row; of a folder: frames: "walk_*.png" or files. Default: one for a sheet, one per name without its number for a folder',
    ),
  overwrite: p.overwrite,
  mode: p.mode,
});

export const spriteFramesMade = resourceCreated.extend({
  animations: list(z.strictObject({ name: text, frames: amount, speed: z.number(), loop: z.boolean() })),
});

type Animation = z.infer<typeof animation>;
/** Makes a SpriteFrames from the parts of an image, or from the images of a folder. */
export async function makeSpriteFrames(
  context: DriverContext,
  input: z.infer<typeof spriteFramesInput>,
): Promise<ToolAnswer<z.input<typeof spriteFramesMade>>> {
  const target = await context.project.resolve(input.path);
  if (!target.ok) return target;
  if ((input.texture === undefined) === (input.folder === undefined))
    return errors.fail("E_SCHEMA_VALIDATION", "Name a sheet with texture and size, or a folder of images.");
  const asked = p.checkedItems("animations", animation, input.animations ?? []);
  if (!asked.ok) return asked;
  const source = await (input.texture === undefined
    ? fromFolder(context, input.folder ?? "")
    : fromSheet(context, { ...input, texture: input.texture }));
  if (!source.ok) return source;
  const { standard, frameOf, namesOf } = source.value;
  const made: JsonObject[] = [];
  for (const { name, frames, speed, loop } of asked.value.length > 0 ? asked.value : standard) {
    const names = frames === undefined ? ok(source.value.all) : namesOf(frames);
    if (!names.ok) return names;
    const textures: JsonObject[] = [];
    for (const each of names.value) {
      const frame = frameOf(each);
      if (frame === undefined)
        return errors.fail("E_SCHEMA_VALIDATION", `${name} has no frame ${each}: ${source.value.hint}.`);
      textures.push({ texture: frame, duration: 1 });
    }
    made.push({ name, speed, loop, frames: textures });
  }
  const created = await createResource(context, {
    ...input,
    type: "SpriteFrames",
    properties: { animations: made },
  });
  if (!created.ok) return created;
  const animations = made.map(({ name, frames, speed, loop }) => ({
    name: String(name),
    frames: (frames as readonly unknown[]).length,
    speed: Number(speed),
    loop: loop === true,
  }));
  const names = animations.map((row) => `${row.name} (${row.frames})`).join(", ");
  // The request contains the frames; the answer only counts them.
  return ok(
    { ...created.value, changed: [], animations },
    { ...created.notes, summary: `Made ${input.path} with ${names}.` },
  );
}

interface Frames {
  readonly standard: readonly Animation[];
  readonly all: readonly string[];
  readonly hint: string;
  readonly namesOf: (frames: NonNullable<Animation["frames"]>) => Result<readonly string[]>;
  readonly frameOf: (name: string) => JsonObject | undefined;
}

async function fromSheet(
  context: DriverContext,
  input: {
    readonly texture: string;
    readonly size?: unknown;
    readonly margins?: unknown;
    readonly separation?: unknown;
  },
): Promise<Result<Frames>> {
  const sheet = await sheetOf(context, { ...input, size: input.size });
  if (!sheet.ok) return sheet;
  const { columns, rows, size: part, margins: before, separation: between, texture: atlas } = sheet.value;
  const number = columns * rows;
  return ok({
    standard: [{ name: "default", speed: 5, loop: true }],
    all: Array.from({ length: number }, (_, index) => String(index)),
    hint: `${atlas} has the frames 0 to ${number - 1}`,
    namesOf: indices,
    frameOf(name) {
      const index = Number(name);
      if (!Number.isInteger(index) || index >= number) return undefined;
      const x = before.x + (index % columns) * (part.x + between.x);
      const y = before.y + Math.floor(index / columns) * (part.y + between.y);
      return {
        resource: "AtlasTexture",
        properties: { atlas, region: { x, y, width: part.x, height: part.y } },
      };
    },
  });
}

/** `[0, 1]`, or `"0-3, 2"`; `"3-0"` counts down. */
function indices(frames: NonNullable<Animation["frames"]>): Result<readonly string[]> {
  const parts = typeof frames === "string" ? frames.split(",") : frames.map(String);
  const out: string[] = [];
  for (const part of parts) {
    const range = /^\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*$/.exec(part);
    if (range === null)
      return errors.fail(
        "E_SCHEMA_VALIDATION",
        `"${part.slice(0, 40)}" is neither a frame nor frames such as 0-3.`,
      );
    const [from, to] = [Number(range[1]), Number(range[2] ?? range[1])];
    const step = to < from ? -1 : 1;
    for (let index = from; index !== to + step; index += step) out.push(String(index));
  }
  return ok(out);
}

async function fromFolder({ project }: DriverContext, folder: string): Promise<Result<Frames>> {
  const place = await project.resolve(folder);
  if (!place.ok) return place;
  const images: string[] = [];
  for await (const { res } of project.files(place.value)) {
    const below = res.slice(place.value.res.length).replace(/^\//, "");
    if (/\.(?:png|webp|jpe?g|svg)$/i.test(below) && !below.includes("/")) images.push(below);
  }
  images.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  if (images.length === 0)
    return errors.fail("E_NOT_FOUND", `There is no image in ${place.value.res}.`, {
      details: { path: place.value.res },
    });
  const base = place.value.res.replace(/\/$/, "");
  const names = [...new Set(images.map(withoutNumber))];
  return ok({
    standard: names.map((name) => ({
      name,
      frames: images.filter((image) => withoutNumber(image) === name),
      speed: 5,
      loop: true,
    })),
    all: images,
    hint: `${place.value.res} has ${images.slice(0, 5).join(", ")}${images.length > 5 ? ", …" : ""}`,
    namesOf(frames) {
      if (typeof frames !== "string") return ok(frames.map(String));
      const found = frames.length > MAX_PATTERN ? [] : images.filter(compileGlob(frames, { isPath: false }));
      return found.length > 0
        ? ok(found)
        : errors.fail("E_NOT_FOUND", `No image in ${place.value.res} is called ${frames.slice(0, 60)}.`);
    },
    frameOf: (name) =>
      images.includes(name) ? { path: `${base === "res:" ? "res:/" : base}/${name}` } : undefined,
  });
}

/** Returns `walk` for `walk_01.png`. */
function withoutNumber(image: string): string {
  const stem = image.replace(/\.\w+$/, "");
  return stem.replace(/[ _-]*\(?\d+\)?$/, "") || stem;
}
