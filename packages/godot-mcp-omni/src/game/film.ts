import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import type { Control } from "./control.ts";
import type { Film, GameAnswer, Screenshot, Wait } from "./game-shapes.ts";
import { animatedPng, type Picture, readPng, writePng } from "./png.ts";

const FILM_SIZE = 480;
/** In one video; longer ones use every second frame, every third and so on. */
const MAX_PICTURES = 120;
const SHEET_COLUMNS = 3;
const SHEET_PICTURES = 9;
const SHEET_SIZE = 320;

interface Shot {
  readonly frame: number;
  readonly path: string;
  /** Game time since the previous picture. */
  readonly ms: number;
}

/** Takes a screenshot every few frames and joins them into one animated PNG. */
export async function filmFrames(
  control: Control,
  asked: { readonly path: string; readonly frames: number; readonly maxSize: number | undefined },
  wait?: Wait,
): GameAnswer<Film> {
  const every = Math.ceil(asked.frames / MAX_PICTURES);
  const { path, frames, maxSize = FILM_SIZE } = asked;
  const taken = await control.ask<{ frame: number; shots: readonly Shot[] }>(
    "film",
    { path, frames, every, maxSize },
    wait,
  );
  if (!taken.ok) return taken;
  const { frame, shots } = taken.value;
  const pngs = shots.map((shot) => readFileSync(shot.path));
  for (const shot of shots) rmSync(shot.path, { force: true });
  const pictures = pngs.map((png) => pictureOf(png));
  const [first] = pictures;
  if (first === undefined) throw new Error("A film has at least one picture.");
  const file = `${path}.png`;
  // A picture is shown until the next one was taken.
  const last = shots.at(-1)?.ms ?? 0;
  writeFileSync(file, animatedPng(pngs.map((png, index) => ({ png, ms: shots[index + 1]?.ms ?? last }))));
  const step = Math.max(1, (pictures.length - 1) / (SHEET_PICTURES - 1));
  const chosen = new Set(
    Array.from({ length: Math.min(SHEET_PICTURES, pictures.length) }, (_, at) => Math.round(at * step)),
  );
  const sheet = contactSheet(
    pictures.filter((_, index) => chosen.has(index)).map((picture) => halved(picture)),
    Math.min(SHEET_COLUMNS, pictures.length),
  );
  return ok({
    frame,
    path: file,
    width: first.width,
    height: first.height,
    pictures: shots.map((shot, index) => {
      const [before, after] = [pictures[index - 1], pictures[index]];
      const change = before && after ? pictureChange(before, after) : undefined;
      return { frame: shot.frame, changed: Number((change?.share ?? 0).toFixed(4)) };
    }),
    sheet: writePng(sheet).toString("base64"),
  });
}

/** The earlier screenshot that a caller names; only those of this game are valid. */
export function earlierPicture(
  folder: string,
  pid: number,
  last: number,
  since: string,
): Result<Picture, ReplyCode> {
  const file = since === "last" ? join(folder, `${pid}-${last}.png`) : join(folder, basename(since));
  if ((since === "last" || since === file) && existsSync(file)) return ok(pictureOf(readFileSync(file)));
  return errors.fail("E_NOT_FOUND", "There is no such earlier screenshot of this game.", {
    suggestedFix: "Name the path of an earlier answer of screenshot, or last.",
  });
}

/** Compares a screenshot with an earlier one and marks the changed regions in the returned picture. */
export function markChanges(shot: Screenshot, earlier: Picture): Result<Screenshot, ReplyCode> {
  const changed = pictureChange(earlier, pictureOf(readFileSync(shot.path)));
  if (changed === undefined)
    return errors.fail("E_UNSUPPORTED", "The earlier screenshot is of another size.", {
      suggestedFix: "Take two of the same size of the window.",
    });
  const marked = withMarks(pictureOf(Buffer.from(shot.png, "base64")), changed.regions, shot.scale);
  return ok({
    ...shot,
    png: writePng(marked).toString("base64"),
    changed: { share: Number(changed.share.toFixed(5)), regions: changed.regions },
  });
}

/** The difference between a picture and an earlier one of the same size, with marks around changes. */
export function changedSince(
  before: Buffer,
  after: Buffer,
): { readonly share: number; readonly marked: Buffer } | undefined {
  const now = pictureOf(after);
  const change = pictureChange(pictureOf(before), now);
  if (change === undefined) return undefined;
  return { share: Number(change.share.toFixed(4)), marked: writePng(withMarks(now, change.regions, 1)) };
}

export function nothingToSee() {
  return errors.fail("E_UNSUPPORTED", "The game runs without a display, so there is nothing to see.", {
    suggestedFix: "Run it with display auto or virtual.",
  });
}

function pictureOf(png: Buffer): Picture {
  const picture = readPng(png);
  if (picture === undefined) throw new Error("Godot wrote a PNG of another kind.");
  return picture;
}

/** Halves the size until it fits into the sheet. */
function halved(picture: Picture): Picture {
  if (Math.max(picture.width, picture.height) <= SHEET_SIZE) return picture;
  const [width, height] = [Math.floor(picture.width / 2), Math.floor(picture.height / 2)];
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * 2 * picture.width + x * 2) * 3 + channel;
        const below = at + picture.width * 3;
        const sum = [at, at + 3, below, below + 3].reduce(
          (total, index) => total + (picture.pixels[index] ?? 0),
          0,
        );
        pixels[(y * width + x) * 3 + channel] = sum >> 2;
      }
  return halved({ width, height, pixels });
}

interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PictureChange {
  /** The share of pixels that differ. */
  readonly share: number;
  /** Rectangles around the differences, largest first. */
  readonly regions: readonly Region[];
}

/** Different pixels closer than this belong to one region. */
const CELL = 16;
const MAX_REGIONS = 8;
/** The tolerated difference of a channel, of 255. */
const TOLERANCE = 8;
const LINE = 2;

/** Undefined for pictures of different sizes. */
function pictureChange(before: Picture, after: Picture): PictureChange | undefined {
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

/** The picture with a red outline around each region, whose numbers are scaled. */
function withMarks(picture: Picture, regions: readonly Region[], scale: number): Picture {
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

/** Pictures of one size in a grid. */
function contactSheet(pictures: readonly Picture[], columns: number): Picture {
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

/** Joins rectangles of adjacent cells. */
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
