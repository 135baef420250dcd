import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import { imageSize } from "../../formats/image-size.ts";
import { point } from "../../shapes.ts";
import * as p from "../params.ts";

const pixels = point(z.strictObject({ x: z.int().min(1).max(16384), y: z.int().min(1).max(16384) }));
const gap = point(z.strictObject({ x: z.int().min(0).max(16384), y: z.int().min(0).max(16384) })).default({
  x: 0,
  y: 0,
});

/** Real sheets have fewer tiles. */
const MAX_TILES = 16_384;

/** Divides an image into a grid of equal parts; returns their number and positions. */
export async function sheetOf(
  { project }: DriverContext,
  input: {
    readonly texture: string;
    readonly size: unknown;
    readonly margins?: unknown;
    readonly separation?: unknown;
  },
) {
  const size = p.checked("size", pixels, input.size);
  if (!size.ok) return size;
  const margins = p.checked("margins", gap, input.margins);
  if (!margins.ok) return margins;
  const separation = p.checked("separation", gap, input.separation);
  if (!separation.ok) return separation;
  const image = await project.readBytes(input.texture);
  if (!image.ok) return image;
  const { res } = image.value.path;
  const whole = imageSize(image.value.bytes);
  if (whole === undefined)
    return errors.fail("E_UNSUPPORTED", `${res} is not a PNG, WebP, JPEG or SVG, so its size is not known.`, {
      suggestedFix: "Use an image of one of these kinds; an SVG needs width and height, or a viewBox.",
    });
  const along = (length: number, axis: "x" | "y") =>
    Math.floor(
      (length - margins.value[axis] + separation.value[axis]) / (size.value[axis] + separation.value[axis]),
    );
  const columns = along(whole.width, "x");
  const rows = along(whole.height, "y");
  if (columns < 1 || rows < 1 || columns * rows > MAX_TILES)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${res} is ${whole.width} by ${whole.height} pixels: with this size ${columns < 1 || rows < 1 ? "no part fits into it" : `it has more than ${MAX_TILES} parts`}.`,
      { details: { width: whole.width, height: whole.height } },
    );
  return ok({
    texture: res,
    size: size.value,
    margins: margins.value,
    separation: separation.value,
    columns,
    rows,
  });
}
