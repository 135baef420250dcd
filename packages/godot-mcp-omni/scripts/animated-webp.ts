export interface WebpFrame {
  /** A picture in WebP. All frames have the same size. */
  readonly webp: Buffer;
  readonly ms: number;
}

/** An animation that repeats, in the container of WebP: https://developers.google.com/speed/webp/docs/riff_container */
export function animatedWebp(frames: readonly WebpFrame[], width: number, height: number): Buffer {
  const ANIMATION = 0b10;
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(ANIMATION, 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", canvas),
    // White behind the frames, and no end.
    chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames.map(({ webp, ms }) => chunk("ANMF", frame(webp, width, height, ms))),
  ]);
  return chunk("RIFF", body);
}

function frame(webp: Buffer, width: number, height: number, ms: number): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(ms, 12, 3);
  return Buffer.concat([head, picture(webp)]);
}

/** The chunk with the pixels of a still picture. */
function picture(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length; ) {
    const size = 8 + webp.readUInt32LE(at + 4);
    const end = at + size + (size % 2);
    if (/^VP8[ L]$/.test(webp.toString("latin1", at, at + 4))) return webp.subarray(at, end);
    at = end;
  }
  throw new Error("The frame is not a picture in WebP.");
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
