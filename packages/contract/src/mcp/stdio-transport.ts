import { isUtf8 } from "node:buffer";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * The SDK's own stdio transport closes the connection on a line that is too long and stays silent on one it
 * cannot read. This one answers both and goes on.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly input: NodeJS.ReadableStream;
  private readonly write: NodeJS.WritableStream["write"];
  private closed = false;
  /** Answers that are ready together leave together: a write takes as long as half a call. */
  private unsent = "";
  private readonly lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.receive(line),
    (why) => this.refuse(ProtocolErrorCode.ParseError, why),
  );

  constructor(input: NodeJS.ReadableStream, write: NodeJS.WritableStream["write"]) {
    this.input = input;
    this.write = write;
  }

  async start(): Promise<void> {
    this.input.on("data", (chunk: Buffer) => this.lines.push(chunk));
    this.input.on("end", () => void this.close());
    this.input.on("close", () => void this.close());
    this.input.on("error", () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.closed) return;
    if (this.unsent === "") process.nextTick(() => this.flush());
    this.unsent += `${JSON.stringify(message)}\n`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.flush();
    this.onclose?.();
  }

  private flush(): void {
    const text = this.unsent;
    this.unsent = "";
    // A client that no longer reads has gone.
    if (text !== "") this.write(text, (error) => error && void this.close());
  }

  private receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // A blank line, which may still end in a carriage return, is not a message.
      if (line.trim() !== "") this.refuse(ProtocolErrorCode.ParseError, "the message is not JSON");
      return;
    }
    if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value))
      this.onmessage?.(value);
    else this.refuse(ProtocolErrorCode.InvalidRequest, "the message is not JSON-RPC 2.0", idOf(value));
  }

  private refuse(code: ProtocolErrorCode, why: string, id?: string | number): void {
    // A message that cannot be read may have no id to answer to; the protocol then leaves it out.
    void this.send({
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      error: { code, message: `Cannot read a message: ${why}.` },
    } as JSONRPCMessage);
  }
}

function idOf(value: unknown): string | number | undefined {
  // Whatever has no members of its own has no id either.
  const { id } = Object(value) as { readonly id?: unknown };
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

/** Cuts a stream of bytes into lines, and survives lines that are too long or not text. */
class LineReader {
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
