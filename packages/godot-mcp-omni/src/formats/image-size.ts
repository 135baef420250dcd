export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size in the header of a PNG, WebP, JPEG or SVG; undefined for anything else. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (text: string, offset: number) => data.toString("latin1", offset, offset + text.length) === text;
  if (at("\x89PNG\r\n\x1a\n", 0) && data.length >= 24)
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (at("RIFF", 0) && at("WEBP", 8) && data.length >= 30) return webp(data, at);
  if (at("\xff\xd8", 0)) return jpeg(data);
  return svg(data.toString("utf8", 0, MAX_HEAD));
}

/** Godot draws an SVG at its declared size, or that of its viewBox. */
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

/** The size is in the frame header, after segments that contain their own length. */
function jpeg(data: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 < data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const kind = data[at + 1] ?? 0;
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind))
      return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
  }
  return undefined;
}
