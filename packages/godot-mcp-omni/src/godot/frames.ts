import type { JsonObject } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";

/** A message on a link: its length as four bytes, little-endian, then JSON in UTF-8. */
export function frame(message: JsonObject): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

/** Splits a stream of bytes into messages. A message that is too long or not a JSON object ends the stream. */
export class FrameReader {
  /** May be raised after the handshake. */
  maxBytes: number;
  private parts: Buffer[] = [];
  private size = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The messages that are complete now, or `undefined` when the stream is invalid. */
  push(chunk: Buffer): JsonObject[] | undefined {
    this.parts.push(chunk);
    this.size += chunk.length;
    const messages: JsonObject[] = [];
    for (;;) {
      if (this.size < 4) return messages;
      const length = this.peekLength();
      if (length > this.maxBytes) return undefined;
      if (this.size < 4 + length) return messages;
      const all = this.parts.length === 1 ? chunk0(this.parts) : Buffer.concat(this.parts);
      const message = parseObject(all.subarray(4, 4 + length));
      if (message === undefined) return undefined;
      messages.push(message);
      const rest = all.subarray(4 + length);
      this.parts = rest.length > 0 ? [rest] : [];
      this.size = rest.length;
    }
  }

  private peekLength(): number {
    const first = chunk0(this.parts);
    if (first.length < 4) this.parts = [Buffer.concat(this.parts)];
    return chunk0(this.parts).readUInt32LE(0);
  }
}

function chunk0(parts: readonly Buffer[]): Buffer {
  return parts[0] ?? Buffer.alloc(0);
}

function parseObject(body: Buffer): JsonObject | undefined {
  const value = parseJson(body.toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}
