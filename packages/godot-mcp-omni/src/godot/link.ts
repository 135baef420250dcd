import type { Socket } from "node:net";
import type { Clock, JsonObject } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { errors, type GodotCode, type Result } from "../errors.ts";
import { waitForEvent } from "../wait-for-event.ts";
import type { Hello } from "./listener.ts";

export type LinkAnswer = Result<JsonObject>;

export interface LinkOptions {
  readonly clock: Clock;
  /** Interval of pings; after three times as long without a message, the other side counts as gone. */
  readonly heartbeatMs?: number;
}

const MAX_FRAME = 64 << 20;
const MAX_UNREAD = 1 << 20;

/** An authenticated connection to Godot. Many requests can be pending at once; each is answered once. */
export class Link {
  readonly hello: Hello;
  private readonly socket: Socket;
  private readonly clock: Clock;
  private readonly waiting = new Map<number, (answer: LinkAnswer) => void>();
  private readonly closed = new AbortController();
  private nextId = 1;
  private heardAt: number;
  private stopHeartbeat = () => {};
  private asked: (question: JsonObject) => void = () => {};
  private changed: (what: ReadonlySet<string>) => void = () => {};

  constructor(socket: Socket, hello: Hello, reader: FrameReader, options: LinkOptions) {
    this.socket = socket;
    this.hello = hello;
    this.clock = options.clock;
    this.heardAt = this.clock.now();
    reader.maxBytes = MAX_FRAME;
    socket.on("data", (chunk: Buffer) => this.receive(reader.push(chunk)));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.end());
    if (options.heartbeatMs !== undefined) this.beat(options.heartbeatMs);
  }

  get open(): boolean {
    return !this.closed.signal.aborted;
  }

  onClose(listener: () => void): void {
    if (this.open) this.closed.signal.addEventListener("abort", listener, { once: true });
    else listener();
  }

  close(): void {
    this.socket.destroy();
    this.end();
  }

  request(
    operation: string,
    params: JsonObject,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<LinkAnswer> {
    if (!this.open) return Promise.resolve(gone());
    const id = this.nextId++;
    return waitForEvent<LinkAnswer>(
      { clock: this.clock, timeoutMs, signal },
      (isAborted) => (isAborted ? aborted(operation) : tooLate(operation, timeoutMs)),
      (resolve) => {
        this.waiting.set(id, resolve);
        this.socket.write(frame({ id, operation, params, timeoutMs }));
        return [() => this.waiting.delete(id)];
      },
    );
  }

  /** Sends a message without an answer. Drops it if an editor has stopped reading and its buffer is full. */
  tell(message: JsonObject): void {
    if (this.open && this.socket.writableLength < MAX_UNREAD) this.socket.write(frame(message));
  }

  /** Receives the user's requests from the other side: messages with a number as `ask`. */
  onAsk(listener: (question: JsonObject) => void): void {
    this.asked = listener;
  }

  /** Receives change notifications from the other side: messages with a list of names as `changed`. */
  onChange(listener: (what: ReadonlySet<string>) => void): void {
    this.changed = listener;
  }

  private receive(messages: readonly JsonObject[] | undefined): void {
    if (messages === undefined) {
      this.close();
      return;
    }
    this.heardAt = this.clock.now();
    for (const message of messages) {
      if (typeof message.id === "number") this.waiting.get(message.id)?.(readAnswer(message));
      else if (typeof message.ask === "number") this.asked(message);
      else if (Array.isArray(message.changed))
        this.changed(new Set(message.changed.filter((name) => typeof name === "string")));
    }
  }

  private beat(everyMs: number): void {
    this.stopHeartbeat = this.clock.after(everyMs, () => {
      if (!this.open) return;
      if (this.clock.now() - this.heardAt > 3 * everyMs && this.waiting.size === 0) return this.close();
      this.socket.write(frame({ ping: this.clock.now() }));
      this.beat(everyMs);
    });
  }

  private end(): void {
    if (!this.open) return;
    this.stopHeartbeat();
    this.closed.abort();
    for (const settle of [...this.waiting.values()]) settle(gone());
  }
}

function readAnswer(message: JsonObject): LinkAnswer {
  if (message.ok === true && isJsonObject(message.result)) return ok(message.result);
  const error = isJsonObject(message.error) ? message.error : {};
  const code = isCode(error.code) ? error.code : "E_INTERNAL";
  return errors.fail(
    code,
    typeof error.message === "string" ? error.message : "Godot's answer was not understood.",
    {
      ...(typeof error.suggestedFix === "string" && { suggestedFix: error.suggestedFix }),
      ...(isJsonObject(error.details) && { details: error.details }),
    },
  );
}

function isCode(value: unknown): value is GodotCode {
  return typeof value === "string" && Object.hasOwn(errors.rows, value);
}

function gone(): LinkAnswer {
  return errors.fail("E_NOT_CONNECTED", "The connection to Godot ended before it answered.", {
    suggestedFix: "Read the scene to see whether the request took effect, then try again.",
  });
}

function tooLate(operation: string, timeoutMs: number): LinkAnswer {
  return errors.fail("E_TIMEOUT", `Godot did not answer "${operation}" within ${timeoutMs} ms.`, {
    details: { operation, timeoutMs },
  });
}

function aborted(operation: string): LinkAnswer {
  return errors.fail("E_TIMEOUT", `"${operation}" was cancelled by the caller before Godot answered.`, {
    details: { operation, aborted: true },
  });
}

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

  /** The messages that are now complete, or `undefined` if the stream is invalid. */
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
