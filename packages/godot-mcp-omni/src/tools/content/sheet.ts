import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { errors } from "../../errors.ts";
import { point } from "../../shapes.ts";
import * as p from "../params.ts";

const pixels = point(z.strictObject({ x: z.int().min(1).max(16384), y: z.int().min(1).max(16384) }));
const gap = point(z.strictObject({ x: z.int().min(0).max(16384), y: z.int().min(0).max(16384) })).default({
  x: 0,
  y: 0,
});

/** More tiles than any sheet that people draw. */
const MOST = 16_384;

/** An image that is a grid of equal parts: how many there are and where they are. */
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
  if (columns < 1 || rows < 1 || columns * rows > MOST)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      `${res} is ${whole.width} by ${whole.height} pixels: with this size ${columns < 1 || rows < 1 ? "no part fits into it" : `it has more than ${MOST} parts`}.`,
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

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size that a PNG, WebP, JPEG or SVG says it has; undefined for anything else. */
function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (text: string, offset: number) => data.toString("latin1", offset, offset + text.length) === text;
  if (at("\x89PNG\r\n\x1a\n", 0) && data.length >= 24)
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (at("RIFF", 0) && at("WEBP", 8) && data.length >= 30) return webp(data, at);
  if (at("\xff\xd8", 0)) return jpeg(data);
  return svg(data.toString("utf8", 0, MAX_HEAD));
}

/** Godot draws an SVG at the size that it says, or at that of its viewBox. */
function svg(text: string): ImageSize | undefined {
  const head = /<svg\b[^>]*>/.exec(text)?.[0];
  if (head === undefined) return undefined;
  const [, , boxWidth, boxHeight] = (/\sviewBox\s*=\s*["']([^"']*)["']/.exec(head)?.[1] ?? "")
    .split(/[\s,]+/)
    .map(Number);
  const width = Math.round(Number(/\swidth\s*=\s*["']([\d.]+)(?:px)?["']/.exec(head)?.[1]) || boxWidth || 0);
  const height = Math.round(
    Number(/\sheight\s*=\s*["']([\d.]+)(?:px)?["']/.exec(head)?.[1]) || boxHeight || 0,
  );
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Comments may come before the first tag. */
const MAX_HEAD = 16_384;

function webp(data: Buffer, at: (text: string, offset: number) => boolean): ImageSize | undefined {
  if (at("VP8X", 12)) return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
  if (at("VP8L", 12)) {
    const bits = data.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (at("VP8 ", 12))
    return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  return undefined;
}

/** The size is in the frame header, behind segments that say how long they are. */
function jpeg(data: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 < data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const kind = data[at + 1] ?? 0;
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind))
      return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
  }
  return undefined;
}
