import type { Socket } from "node:net";
import { frameOf, type Message, type MessageStream } from "./message-stream.ts";
import type { Value } from "./value.ts";

/** The connection to one running game. */
export class Session {
  /** Resolves when the connection ends, or receives invalid data. */
  readonly closed: Promise<void>;
  isOpen = true;
  private readonly socket: Socket;
  private readonly mainThread: bigint;
  private listener: ((message: Message) => void) | undefined;
  private readonly atClose = new Set<() => void>();
  private early: Message[];

  /** `early` are the messages received before, including the first. */
  constructor(socket: Socket, stream: MessageStream, early: readonly Message[]) {
    this.socket = socket;
    this.early = early.slice(1);
    this.mainThread = early[0]?.thread ?? 1n;
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        this.isOpen = false;
        resolve();
        for (const callback of this.atClose) callback();
      });
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      const messages = stream.push(chunk);
      if (messages === undefined) socket.destroy();
      else for (const message of messages) this.hear(message);
    });
  }

  onMessage(listener: (message: Message) => void): void {
    this.listener = listener;
    const early = this.early;
    this.early = [];
    for (const message of early) listener(message);
  }

  onClose(callback: () => void): () => void {
    if (!this.isOpen) queueMicrotask(callback);
    this.atClose.add(callback);
    return () => void this.atClose.delete(callback);
  }

  /** Sends to the main thread, unless another one is stopped at a breakpoint. */
  send(name: string, data: readonly Value[] = [], thread: bigint = this.mainThread): void {
    if (this.isOpen) this.socket.write(frameOf({ name, thread, data }));
  }

  close(): void {
    this.socket.destroy();
  }

  private hear(message: Message): void {
    if (this.listener === undefined) this.early.push(message);
    else this.listener(message);
  }
}
