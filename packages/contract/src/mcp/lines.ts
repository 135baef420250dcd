import { isUtf8 } from "node:buffer";

/** Cuts a stream of bytes into lines, and survives lines that are too long or not text. */
export class LineReader {
  private parts: Buffer[] = [];
  private size = 0;
  private readonly maxBytes: number;
  private readonly onLine: (line: string) => void;
  private readonly onBadLine: (why: string) => void;

  constructor(maxBytes: number, onLine: (line: string) => void, onBadLine: (why: string) => void) {
    this.maxBytes = maxBytes;
    this.onLine = onLine;
    this.onBadLine = onBadLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.append(chunk.subarray(start, end));
      this.finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.append(chunk.subarray(start));
  }

  /** Bytes past the limit are counted, not stored. */
  private append(part: Buffer): void {
    this.size += part.length;
    if (this.size <= this.maxBytes) this.parts.push(part);
    else this.parts = [];
  }

  private finishLine(): void {
    const line = this.parts.length === 1 ? (this.parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.parts);
    const size = this.size;
    this.parts = [];
    this.size = 0;
    if (size > this.maxBytes)
      this.onBadLine(`the message has ${size} bytes; at most ${this.maxBytes} are read`);
    else if (!isUtf8(line)) this.onBadLine("the message is not UTF-8");
    else if (line.length > 0) this.onLine(line.toString("utf8"));
  }
}
