import type { Picture } from "./png.ts";

export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How two pictures differ. */
export interface PictureChange {
  /** The share of pixels that differ. */
  readonly share: number;
  /** Rectangles around them, the largest first. */
  readonly regions: readonly Region[];
}

/** Pixels that are this near to each other belong to one region. */
const CELL = 16;
const MAX_REGIONS = 8;
/** How much a channel of a pixel may differ, of 255. */
const TOLERANCE = 8;
const LINE = 2;

/** Undefined for pictures of different sizes. */
export function pictureChange(before: Picture, after: Picture): PictureChange | undefined {
  if (before.width !== after.width || before.height !== after.height) return undefined;
  const { width, height } = after;
  const columns = Math.ceil(width / CELL);
  /** For each cell with a difference, the rectangle around it. */
  const cells = new Map<number, Region>();
  let differing = 0;
  for (let at = 0; at < width * height; at++) {
    if (!differs(before.pixels, after.pixels, at * 3)) continue;
    differing++;
    const [x, y] = [at % width, Math.floor(at / width)];
    const cell = Math.floor(y / CELL) * columns + Math.floor(x / CELL);
    cells.set(cell, around(cells.get(cell), { x, y, width: 1, height: 1 }));
  }
  return {
    share: differing / (width * height),
    regions: joined(cells, columns)
      .sort((a, b) => b.width * b.height - a.width * a.height)
      .slice(0, MAX_REGIONS),
  };
}

/** The picture with a red line around each region, whose numbers are scaled. */
export function withMarks(picture: Picture, regions: readonly Region[], scale: number): Picture {
  const pixels = picture.pixels.slice();
  const dot = (x: number, y: number) => {
    if (x >= 0 && y >= 0 && x < picture.width && y < picture.height)
      pixels.set([255, 0, 0], (y * picture.width + x) * 3);
  };
  for (const region of regions) {
    const left = Math.floor(region.x * scale) - LINE;
    const top = Math.floor(region.y * scale) - LINE;
    const right = Math.ceil((region.x + region.width) * scale) + LINE - 1;
    const bottom = Math.ceil((region.y + region.height) * scale) + LINE - 1;
    for (let line = 0; line < LINE; line++) {
      for (let x = left; x <= right; x++) for (const y of [top + line, bottom - line]) dot(x, y);
      for (let y = top; y <= bottom; y++) for (const x of [left + line, right - line]) dot(x, y);
    }
  }
  return { ...picture, pixels };
}

/** Pictures of one size beside and below each other. */
export function contactSheet(pictures: readonly Picture[], columns: number): Picture {
  const [first] = pictures;
  if (first === undefined) throw new Error("A contact sheet has at least one picture.");
  const rows = Math.ceil(pictures.length / columns);
  const width = first.width * columns;
  const pixels = new Uint8Array(width * first.height * rows * 3);
  for (const [index, picture] of pictures.entries()) {
    const left = (index % columns) * first.width;
    const top = Math.floor(index / columns) * first.height;
    for (let y = 0; y < first.height; y++)
      pixels.set(
        picture.pixels.subarray(y * first.width * 3, (y + 1) * first.width * 3),
        ((top + y) * width + left) * 3,
      );
  }
  return { width, height: first.height * rows, pixels };
}

function differs(before: Uint8Array, after: Uint8Array, at: number): boolean {
  for (let channel = at; channel < at + 3; channel++)
    if (Math.abs((before[channel] ?? 0) - (after[channel] ?? 0)) > TOLERANCE) return true;
  return false;
}

/** Joins the rectangles of cells that touch each other. */
function joined(cells: Map<number, Region>, columns: number): Region[] {
  const regions: Region[] = [];
  const left = new Map(cells);
  for (const start of cells.keys()) {
    const open = [start];
    let region: Region | undefined;
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      const here = left.get(cell);
      if (here === undefined) continue;
      left.delete(cell);
      region = around(region, here);
      const column = cell % columns;
      for (const row of [-columns, 0, columns])
        for (const side of [-1, 0, 1])
          if (column + side >= 0 && column + side < columns) open.push(cell + row + side);
    }
    if (region !== undefined) regions.push(region);
  }
  return regions;
}

function around(a: Region | undefined, b: Region): Region {
  if (a === undefined) return b;
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}
