import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import type { Control } from "./control.ts";
import type { Film, GameAnswer, Screenshot, Wait } from "./game-shapes.ts";
import { contactSheet, pictureChange, withMarks } from "./picture-change.ts";
import { animatedPng, type Picture, readPng, writePng } from "./png.ts";

const FILM_SIZE = 480;
/** In one film; of more frames every second, third and so on is taken. */
const MAX_PICTURES = 120;
const SHEET_COLUMNS = 3;
const SHEET_PICTURES = 9;
const SHEET_SIZE = 320;

interface Shot {
  readonly frame: number;
  readonly path: string;
  /** Since the picture before it, in the time of the game. */
  readonly ms: number;
}

/** Takes a picture every few frames and makes one animated PNG of them. */
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

/** The earlier screenshot that a caller names; only those of this game can be. */
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

/** Compares a screenshot with an earlier one, and marks the regions that changed in the picture of the answer. */
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

/** At half its size until it fits into the sheet. */
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
