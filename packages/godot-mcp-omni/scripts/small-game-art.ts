import { png } from "../test/png.ts";

/** The pictures of the small game, drawn here: a palette of letters, and a sky of shapes. */
const PALETTE: Readonly<Record<string, readonly number[]>> = {
  ".": [0, 0, 0, 0],
  k: [38, 32, 54, 255],
  o: [240, 138, 75, 255],
  d: [196, 96, 52, 255],
  w: [255, 244, 224, 255],
  r: [226, 62, 87, 255],
  p: [255, 142, 150, 255],
  g: [106, 190, 92, 255],
  l: [158, 222, 118, 255],
  e: [122, 82, 60, 255],
  b: [98, 64, 50, 255],
  s: [146, 100, 72, 255],
  y: [255, 214, 102, 255],
};

const FOX = [
  "..............",
  "..o.......o...",
  "..oo.....oo...",
  "..owo...owo...",
  "..ooooooooo...",
  "..ookoooko....",
  "..oowwwwwo....",
  "...wwkww......",
  "...ddddd...oo.",
  "..ooooooo.ooo.",
  "..oowwooo.oow.",
  "..oowwoooooww.",
  "..oooooooo.w..",
  "...kk..kk.....",
];

const BERRY = [
  "....gg....",
  "...gl.....",
  "..rrgrr...",
  ".rpprrrr..",
  ".rprrrrr..",
  ".rrrrrrr..",
  "..rrrrr...",
  "...rrr....",
];

const LANTERN = [
  "......kkkk......",
  ".....kyyyyk.....",
  ".....kywwyk.....",
  ".....kyyyyk.....",
  "......kkkk......",
  ".......bb.......",
  ".......bb.......",
  ".......be.......",
  ".......bb.......",
  ".......eb.......",
  ".......bb.......",
  "......bbbb......",
];

/** The sprites and the background, as base64. */
export const art = {
  fox: sprite(FOX),
  berry: sprite(BERRY),
  lantern: sprite(LANTERN),
  tiles: png(32, 16, tile).toString("base64"),
  sky: png(320, 180, sky).toString("base64"),
};

function sprite(rows: readonly string[]): string {
  const width = Math.max(...rows.map(({ length }) => length));
  return png(width, rows.length, (x, y) => PALETTE[rows[y]?.[x] ?? "."] ?? [0, 0, 0, 0]).toString("base64");
}

/** Two tiles: grass on earth, and earth. */
function tile(x: number, y: number): readonly number[] {
  const grain = (x * 7 + y * 13 + ((x * y) % 5)) % 9;
  const blade = 3 + ((x * 5) % 3);
  const letter =
    x < 16 && y < 2 ? "l" : x < 16 && y < blade ? "g" : grain === 0 ? "b" : grain === 4 ? "s" : "e";
  return PALETTE[letter] ?? [];
}

/** Dusk over two rows of hills, with a moon and stars. */
function sky(x: number, y: number): readonly number[] {
  const near = 128 + 12 * Math.sin(x / 31) + 5 * Math.sin(x / 9);
  const far = 104 + 18 * Math.sin(x / 47 + 2) + 6 * Math.sin(x / 17);
  if (y > near) return [44, 62, 92, 255];
  if (y > far) return [74, 84, 128, 255];
  if ((x - 250) ** 2 + (y - 38) ** 2 < 16 ** 2) return [255, 240, 205, 255];
  if ((x * 73 + y * 151 + ((x * y) % 31)) % 997 === 0 && y < 90) return [240, 232, 255, 255];
  const down = y / 130;
  return [62 + 150 * down, 66 + 70 * down, 120 + 18 * down, 255].map(Math.round);
}
