import { isUtf8 } from "node:buffer";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  Transport,
} from "@modelcontextprotocol/server";
import {
  INVALID_REQUEST,
  isNotification,
  isOwnResponse,
  isRequest,
  isResponse,
  PARSE_ERROR,
} from "./json-rpc.ts";

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** More requests wait. */
const MAX_RUNNING = 64;
/** Stop reading while waiting requests are larger. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Start no request and send no progress while the client has more than this to read. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/**
 * The SDK's own transport closes on a line that is too long, and ignores one it cannot parse; this one
 * answers both with an error. Requests wait in a bounded queue, then in the pipe. Responses and notifications
 * skip it, because running calls may wait for them.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  onlisten?: () => void;
  private readonly input: NodeJS.ReadableStream;
  private readonly write: NodeJS.WritableStream["write"];
  private closed = false;
  /** Responses of one tick are written together, because a write takes as long as half a call. */
  private unsent = "";
  /** Written, but not read from the pipe yet. */
  private unreadBytes = 0;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  /** Per id: a client may use an id twice. */
  private readonly running = new Map<string | number, number>();
  private runningCount = 0;
  private whenDrained: (() => void) | undefined;
  private readonly lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.receive(line),
    (why) => this.refuse(PARSE_ERROR, why),
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
    this.adjustReading();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.closed || (isLossy(message) && this.isUnread())) return;
    this.append(JSON.stringify(message));
    if (isOwnResponse(message) && message.id !== undefined) this.ended(message.id);
  }

  /** Responds with JSON text, or not at all. */
  finish(id: string | number, text?: string): void {
    if (this.closed) return;
    if (text !== undefined) this.append(text);
    this.ended(id);
  }

  countRunning(id: string | number): number {
    return this.running.get(id) ?? 0;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.flush();
    this.noteDrained();
    this.onclose?.();
  }

  /** Refuses new requests and resolves when earlier ones are answered. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.whenDrained = resolve;
      this.noteDrained();
    });
  }

  private noteDrained(): void {
    const isIdle = this.runningCount === 0 && this.waiting.length === 0 && this.unsent === "";
    if (this.closed || (isIdle && this.unreadBytes === 0)) this.whenDrained?.();
  }

  private append(text: string): void {
    if (this.unsent === "") process.nextTick(() => this.flush());
    this.unsent += `${text}\n`;
  }

  private flush(): void {
    const text = this.unsent;
    this.unsent = "";
    if (text === "") return;
    this.unreadBytes += text.length;
    this.write(text, (error) => {
      this.unreadBytes -= text.length;
      // The client has closed its end.
      if (error) void this.close();
      else this.begin();
      this.noteDrained();
    });
    this.adjustReading();
  }

  private isUnread(): boolean {
    return this.unreadBytes + this.unsent.length > MAX_UNREAD_BYTES;
  }

  private begin(): void {
    while (this.runningCount < MAX_RUNNING && !this.isUnread()) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      const { request, bytes } = next;
      this.waitingBytes -= bytes;
      this.running.set(request.id, this.countRunning(request.id) + 1);
      this.runningCount++;
      this.onmessage?.(request);
    }
    this.adjustReading();
  }

  private ended(id: string | number): void {
    const count = this.running.get(id);
    if (count === undefined) return;
    if (count === 1) this.running.delete(id);
    else this.running.set(id, count - 1);
    this.runningCount--;
    // Deferred, so the handler that just answered can return first.
    if (this.waiting.length > 0) process.nextTick(() => this.begin());
    else this.noteDrained();
  }

  /** Drops waiting requests. Returns true if there were any. */
  private forget(id: string | number): boolean {
    const kept = this.waiting.filter(({ request }) => request.id !== id);
    if (kept.length === this.waiting.length) return false;
    this.waiting = kept;
    this.waitingBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    this.adjustReading();
    return true;
  }

  private adjustReading(): void {
    if (this.waitingBytes > MAX_WAITING_BYTES || this.isUnread()) this.input.pause();
    else if (this.input.isPaused()) this.input.resume();
  }

  private receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // A blank line, or only a carriage return, is not a message.
      if (line.trim() !== "") this.refuse(PARSE_ERROR, "the message is not JSON");
      return;
    }
    if (isRequest(value)) this.receiveRequest(value, line.length);
    else if (isNotification(value)) this.receiveNotification(value);
    else if (isResponse(value)) this.onmessage?.(value);
    else this.refuse(INVALID_REQUEST, "the message is not JSON-RPC 2.0", idOf(value));
  }

  private receiveRequest(request: JSONRPCRequest, bytes: number): void {
    if (this.whenDrained !== undefined) this.refuseWhileDraining(request.id);
    else if (PASSING.has(request.method)) {
      if (request.method === LISTEN) this.onlisten?.();
      this.onmessage?.(request);
    } else {
      this.waiting.push({ request, bytes });
      this.waitingBytes += bytes;
      this.begin();
    }
  }

  private receiveNotification(notification: JSONRPCNotification): void {
    const cancelled = cancelledId(notification);
    // The server has not seen a request that still waits.
    if (cancelled !== undefined && this.forget(cancelled) && !this.running.has(cancelled)) return;
    this.onmessage?.(notification);
    // A cancelled request gets no response.
    if (cancelled !== undefined) this.ended(cancelled);
  }

  private refuseWhileDraining(id: string | number): void {
    const message = "This server is shutting down. Nothing was done; start it again and repeat the request.";
    void this.send({ jsonrpc: "2.0", id, error: { code: SHUTTING_DOWN, message } });
  }

  private refuse(code: number, why: string, id?: string | number): void {
    // An unreadable message may have no id, which the error then omits.
    void this.send({
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      error: { code, message: `Cannot read a message: ${why}.` },
    } as JSONRPCMessage);
  }
}

interface Waiting {
  readonly request: JSONRPCRequest;
  readonly bytes: number;
}

const LISTEN = "subscriptions/listen";

/** From JSON-RPC's range for servers. */
const SHUTTING_DOWN = -32_000;

/** Skip the queue: a subscription stays open, and a ping checks that we respond. */
const PASSING: ReadonlySet<string> = new Set([LISTEN, "ping"]);

/** Dropped while the client does not read. */
function isLossy(message: JSONRPCMessage): boolean {
  return (
    "method" in message &&
    (message.method === "notifications/progress" || message.method === "notifications/message")
  );
}

export function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  return idOf({ id: message.params?.requestId });
}

function idOf(value: unknown): string | number | undefined {
  // Object() gives values without members an empty object.
  const { id } = Object(value) as { readonly id?: unknown };
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

/** Reports lines that are too long or not UTF-8. */
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
