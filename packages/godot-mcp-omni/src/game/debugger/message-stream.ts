import { BadValue, decodeValue } from "./decode.ts";
import { encodeValue } from "./encode.ts";
import { isList, type Value } from "./value.ts";

/** A message between a game and its debugger. */
export interface Message {
  readonly name: string;
  /** The thread it concerns; requests while stopped go to the stopped thread. */
  readonly thread: bigint;
  readonly data: readonly Value[];
}

/** More than the 8 MiB that Godot itself would send. */
const MAX_BYTES = 16 << 20;

/** A message in wire format: its length as four bytes, little-endian, then one value. */
export function frameOf({ name, thread, data }: Message): Buffer {
  const body = encodeValue([name, thread, data]);
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

export class MessageStream {
  private parts: Buffer[] = [];
  private size = 0;

  /** The messages that are now complete, or undefined if the stream is invalid. */
  push(chunk: Buffer): Message[] | undefined {
    this.parts.push(chunk);
    this.size += chunk.length;
    const messages: Message[] = [];
    while (this.size >= 4) {
      if ((this.parts[0]?.length ?? 0) < 4) this.join();
      const length = this.parts[0]?.readUInt32LE(0) ?? 0;
      if (length > MAX_BYTES) return undefined;
      if (this.size < 4 + length) break;
      const all = this.join();
      const message = parse(all.subarray(4, 4 + length));
      if (message === undefined) return undefined;
      messages.push(message);
      this.parts = [all.subarray(4 + length)];
      this.size -= 4 + length;
    }
    return messages;
  }

  private join(): Buffer {
    const all = this.parts.length === 1 && this.parts[0] ? this.parts[0] : Buffer.concat(this.parts);
    this.parts = [all];
    return all;
  }
}

function parse(body: Buffer): Message | undefined {
  try {
    const value = decodeValue(body);
    if (!isList(value)) return undefined;
    const [name, thread, data = null] = value;
    if (typeof name !== "string" || typeof thread !== "bigint" || !isList(data)) return undefined;
    return { name, thread, data };
  } catch (error) {
    if (error instanceof BadValue) return undefined;
    throw error;
  }
}
