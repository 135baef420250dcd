import type { Socket } from "node:net";
import type { JsonObject } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";

/** Godot describes all of its classes in one message of several megabytes. */
const MAX_MESSAGE_BYTES = 64 << 20;

/** JSON-RPC over a socket in the format of language servers: a header with the length, then JSON. */
export class JsonRpc {
  private readonly socket: Socket;
  private readonly waiting = new Map<number, (answer: JsonObject | undefined) => void>();
  private readonly listeners = new Set<(method: string, params: JsonObject) => void>();
  private chunks: Buffer[] = [];
  private length = 0;
  private wanted: number | undefined;
  private ids = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      for (const answer of this.waiting.values()) answer(undefined);
      this.waiting.clear();
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Undefined if the connection ended before the answer. */
  request(method: string, params: JsonObject): Promise<JsonObject | undefined> {
    const id = ++this.ids;
    return new Promise((resolve) => {
      if (!this.isOpen) resolve(undefined);
      else {
        this.waiting.set(id, resolve);
        this.send({ jsonrpc: "2.0", id, method, params });
      }
    });
  }

  notify(method: string, params: JsonObject): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  /** Receives notifications until the returned function is called. */
  listen(listener: (method: string, params: JsonObject) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.socket.destroy();
  }

  private send(message: JsonObject): void {
    const body = Buffer.from(JSON.stringify(message));
    this.socket.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.socket.write(body);
  }

  private take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.wanted !== undefined && this.length < this.wanted) return;
    let data = Buffer.concat(this.chunks);
    for (;;) {
      if (this.wanted === undefined) {
        const end = data.indexOf("\r\n\r\n");
        if (end === -1) break;
        this.wanted = Number(
          /content-length: *(\d+)/i.exec(data.subarray(0, end).toString("latin1"))?.[1] ?? Number.NaN,
        );
        data = data.subarray(end + 4);
        if (!(this.wanted <= MAX_MESSAGE_BYTES)) {
          this.close();
          return;
        }
      }
      if (data.length < this.wanted) break;
      this.handle(data.subarray(0, this.wanted));
      data = data.subarray(this.wanted);
      this.wanted = undefined;
    }
    this.chunks = [data];
    this.length = data.length;
  }

  private handle(body: Buffer): void {
    const message = parsed(body);
    if (message === undefined) {
      this.close();
      return;
    }
    const { id, method, params } = message;
    if (typeof method === "string") {
      for (const listener of [...this.listeners]) listener(method, isJsonObject(params) ? params : {});
      return;
    }
    if (typeof id !== "number") return;
    this.waiting.get(id)?.(message);
    this.waiting.delete(id);
  }
}

function parsed(body: Buffer): JsonObject | undefined {
  const value = parseJson(body.toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}
