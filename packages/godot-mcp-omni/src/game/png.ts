import { crc32, deflateSync, inflateSync } from "node:zlib";

/** An RGB picture, one byte per channel, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB = 2;
const RGBA = 6;

export function writePng({ width, height, pixels }: Picture): Buffer {
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, RGB], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Reads a PNG as Godot writes it: eight bits a channel, not interlaced. Undefined for others. */
export function readPng(png: Buffer): Picture | undefined {
  if (!png.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const chunks = chunksOf(png);
  const head = chunks.find(({ type }) => type === "IHDR")?.data;
  if (head === undefined || head[8] !== 8 || (head[9] !== RGB && head[9] !== RGBA) || head[12] !== 0)
    return undefined;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const channels = head[9] === RGBA ? 4 : 3;
  const data = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((each) => each.data));
  const rows = unfiltered(inflateSync(data), width * channels, height, channels);
  if (channels === 3) return { width, height, pixels: rows };
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) pixels.set(rows.subarray(at * 4, at * 4 + 3), at * 3);
  return { width, height, pixels };
}

/**
 * Joins PNGs of the same size and kind into one animated PNG, which every browser shows. Their image data is
 * reused unchanged.
 */
export function animatedPng(pictures: readonly { readonly png: Buffer; readonly ms: number }[]): Buffer {
  const [first] = pictures;
  if (first === undefined) throw new Error("An animation has at least one picture.");
  const head = chunksOf(first.png).find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13);
  const frames = Buffer.alloc(8);
  frames.writeUInt32BE(pictures.length, 0);
  let sequence = 0;
  const parts = pictures.flatMap(({ png, ms }, index) => {
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++, 0);
    head.copy(control, 4, 0, 8);
    control.writeUInt16BE(Math.max(1, Math.min(65_535, Math.round(ms))), 20);
    control.writeUInt16BE(1000, 22);
    const data = chunksOf(png).filter(({ type }) => type === "IDAT");
    return [
      chunk("fcTL", control),
      ...data.map((each) => {
        if (index === 0) return chunk("IDAT", each.data);
        const number = Buffer.alloc(4);
        number.writeUInt32BE(sequence++);
        return chunk("fdAT", Buffer.concat([number, each.data]));
      }),
    ];
  });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("acTL", frames),
    ...parts,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** Reverses PNG filters: each row encodes its bytes relative to those on the left and above. */
function unfiltered(data: Buffer, stride: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)];
    const row = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x >= step ? (out[row + x - step] ?? 0) : 0;
      const up = y > 0 ? (out[row + x - stride] ?? 0) : 0;
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4)
        guess = paeth(left, up, x >= step && y > 0 ? (out[row + x - stride - step] ?? 0) : 0);
      out[row + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
