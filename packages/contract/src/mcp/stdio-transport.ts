import { isUtf8 } from "node:buffer";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";
import type { EarlyTalk } from "./early-stdio.ts";
import type { KnownCall, StdioCalls } from "./stdio-calls.ts";

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Requests that are carried out at the same time; more wait. */
const MAX_RUNNING = 64;
/** Requests that wait beyond this size are not read. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** While more than this was sent and not read by the client, no further request begins and no progress is sent. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/**
 * The SDK's own stdio transport closes the connection on a line that is too long and stays silent on one it
 * cannot read. This one answers both and goes on. What a client sends without reading the answers, or faster than they
 * are ready, waits: in a bounded queue, then in the pipe. Its own answers and notifications pass the queue, since a
 * running call may wait for them.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called when the client opens a stream of changes. */
  onlisten?: () => void;
  /** Answers what needs nothing of the SDK. */
  calls?: StdioCalls;
  private readonly input: NodeJS.ReadableStream;
  private readonly write: NodeJS.WritableStream["write"];
  private closed = false;
  /** Answers that are ready together leave together: a write takes as long as half a call. */
  private unsent = "";
  /** What was written and not yet taken by the pipe. */
  private unreadBytes = 0;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  /** How often each id runs: a client may use one twice. */
  private readonly running = new Map<string | number, number>();
  private runningCount = 0;
  /** Requests that were answered before this transport was there: what the server says to them was said. */
  private readonly answeredBefore: (string | number)[];
  private readonly before: EarlyTalk | undefined;
  /** Called when everything that was asked before the server began to end is answered. */
  private whenDrained: (() => void) | undefined;
  private readonly lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.receive(line),
    (why) => this.refuse(ProtocolErrorCode.ParseError, why),
  );

  constructor(input: NodeJS.ReadableStream, write: NodeJS.WritableStream["write"], before?: EarlyTalk) {
    this.input = input;
    this.write = write;
    this.before = before;
    this.answeredBefore = [...(before?.answered ?? [])];
  }

  async start(): Promise<void> {
    this.input.on("data", (chunk: Buffer) => this.lines.push(chunk));
    this.input.on("end", () => void this.close());
    this.input.on("close", () => void this.close());
    this.input.on("error", () => void this.close());
    for (const chunk of this.before?.read ?? []) this.lines.push(chunk);
    if (this.before?.hasEnded) void this.close();
    else this.adjustReading();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.closed || (isLossy(message) && this.isUnread()) || this.wasSaid(message)) return;
    this.append(JSON.stringify(message));
    if (isJSONRPCResponse(message) && message.id !== undefined) {
      this.calls?.forget(message.id);
      this.ended(message.id);
    }
  }

  private wasSaid(message: JSONRPCMessage): boolean {
    if (this.answeredBefore.length === 0 || !isJSONRPCResponse(message) || message.id === undefined)
      return false;
    const at = this.answeredBefore.indexOf(message.id);
    if (at === -1) return false;
    this.answeredBefore.splice(at, 1);
    this.ended(message.id);
    return true;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.calls?.close();
    this.flush();
    this.noteDrained();
    this.onclose?.();
  }

  /** Refuses new requests, and resolves when all earlier ones are answered. */
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
      // A client that has closed its end has gone.
      if (error) void this.close();
      else this.begin();
      this.noteDrained();
    });
    this.adjustReading();
  }

  private isUnread(): boolean {
    return this.unreadBytes + this.unsent.length > MAX_UNREAD_BYTES;
  }

  /** Begins what waits, as far as there is room. */
  private begin(): void {
    while (this.runningCount < MAX_RUNNING && !this.isUnread()) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      const { request, known, bytes } = next;
      this.waitingBytes -= bytes;
      const isAlone = !this.running.has(request.id);
      this.running.set(request.id, (this.running.get(request.id) ?? 0) + 1);
      this.runningCount++;
      if (known === undefined || !isAlone) this.onmessage?.(request);
      else this.runDirectly(known, request);
    }
    this.adjustReading();
  }

  private runDirectly(known: KnownCall, request: JSONRPCRequest): void {
    this.calls?.run(
      known,
      (text) => {
        if (this.closed) return;
        this.append(text);
        this.ended(request.id);
      },
      () => this.onmessage?.(request),
    );
  }

  private ended(id: string | number): void {
    const count = this.running.get(id);
    if (count === undefined) return;
    if (count === 1) this.running.delete(id);
    else this.running.set(id, count - 1);
    this.runningCount--;
    // Not within the handler that has just answered.
    if (this.waiting.length > 0) process.nextTick(() => this.begin());
    else this.noteDrained();
  }

  /** Drops what waits with this id. True if anything did. */
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
      // A blank line, which may still end in a carriage return, is not a message.
      if (line.trim() !== "") this.refuse(ProtocolErrorCode.ParseError, "the message is not JSON");
      return;
    }
    const known = this.calls?.known(value);
    if (isRequest(value, known) && this.whenDrained !== undefined) this.refuseWhileDraining(value.id);
    else if (isRequest(value, known) && !PASSING.has(value.method)) {
      this.waiting.push({ request: value, known, bytes: line.length });
      this.waitingBytes += line.length;
      this.begin();
    } else if (isCancellation(value)) {
      const { requestId } = value.params;
      // Nobody else knows of a request that has only waited.
      if (this.forget(requestId) && !this.running.has(requestId)) return;
      this.calls?.cancel(requestId, value.params.reason);
      this.onmessage?.(value);
      // A cancelled request is not answered.
      this.ended(requestId);
    } else if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) {
      if ("method" in value && value.method === LISTEN) this.onlisten?.();
      this.onmessage?.(value);
    } else this.refuse(ProtocolErrorCode.InvalidRequest, "the message is not JSON-RPC 2.0", idOf(value));
  }

  private refuseWhileDraining(id: string | number): void {
    const message = "This server is shutting down. Nothing was done; start it again and repeat the request.";
    void this.send({ jsonrpc: "2.0", id, error: { code: SHUTTING_DOWN, message } });
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

interface Waiting {
  readonly request: JSONRPCRequest;
  readonly known: KnownCall | undefined;
  readonly bytes: number;
}

/** The SDK has seen the like of a known call, so that it is one. */
function isRequest(message: unknown, known: KnownCall | undefined): message is JSONRPCRequest {
  return known !== undefined || isJSONRPCRequest(message);
}

const LISTEN = "subscriptions/listen";

/** From the range that JSON-RPC leaves to servers. */
const SHUTTING_DOWN = -32_000;

/** Requests that do not wait: the one stays open for as long as the client listens, the other is asked to see whether we live. */
const PASSING: ReadonlySet<string> = new Set([LISTEN, "ping"]);

/** What a client that does not read can do without. */
function isLossy(message: JSONRPCMessage): boolean {
  return (
    isJSONRPCNotification(message) &&
    (message.method === "notifications/progress" || message.method === "notifications/message")
  );
}

function isCancellation(message: unknown): message is JSONRPCNotification & {
  readonly params: { readonly requestId: string | number; readonly reason?: unknown };
} {
  return (
    isJSONRPCNotification(message) &&
    message.method === "notifications/cancelled" &&
    idOf({ id: message.params?.requestId }) !== undefined
  );
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
