import type { ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "../../clock.ts";
import { RETRY_MS, type Session } from "../legacy-sessions.ts";
import { AcceptedShapes } from "./accepted-shapes.ts";

/** Calls of a legacy session that the SDK has not seen yet. */
export class SessionCalls {
  readonly shapes = new AcceptedShapes();
  private readonly begun = new Map<string | number, SessionCall>();

  has(id: string | number): boolean {
    return this.begun.has(id);
  }

  begin(id: string | number, handOver: () => void): SessionCall {
    const call = new SessionCall(handOver, () => this.begun.delete(id));
    this.begun.set(id, call);
    return call;
  }

  /** The next request, such as a cancellation, may refer to any call. */
  async handOverAll(): Promise<void> {
    if (this.begun.size === 0) return;
    const calls = [...this.begun.values()];
    for (const call of calls) call.handOver();
    await Promise.all(calls.map(({ released }) => released));
  }
}

/** Milliseconds. The SDK sends a stream's head immediately; a call that ends sooner is sent in one piece. */
const PATIENCE_MS = 20;

export class SessionCall {
  readonly handOver: () => void;
  private readonly onReleased: () => void;
  private readonly stopTimer: () => void;
  // Created on demand: most calls need neither.
  private taken: PromiseWithResolvers<ServerContext> | undefined;
  private freed: PromiseWithResolvers<void> | undefined;

  constructor(handOver: () => void, onReleased: () => void) {
    this.handOver = handOver;
    this.onReleased = onReleased;
    this.stopTimer = systemClock.after(PATIENCE_MS, handOver);
  }

  get released(): Promise<void> {
    this.freed ??= Promise.withResolvers();
    return this.freed.promise;
  }

  /** Only the SDK can write log lines to the call's response stream. */
  readonly log: ServerContext["mcpReq"]["log"] = async (...line) => {
    this.taken ??= Promise.withResolvers();
    this.handOver();
    await (await this.taken.promise).mcpReq.log(...line);
  };

  onTaken(ctx: ServerContext): void {
    this.taken ??= Promise.withResolvers();
    this.taken.resolve(ctx);
  }

  stop(): void {
    this.stopTimer();
  }

  /** Lets waiting requests of the session continue. */
  release(): void {
    this.stopTimer();
    this.onReleased();
    this.freed?.resolve();
  }
}

/** From here on, a stream starts with an event that tells clients how to reconnect. */
const FIRST_WITH_PRIMING = "2025-11-25";

export const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "content-type": "text/event-stream",
  "x-accel-buffering": "no",
};

/** As the SDK would send it, stored for clients that reconnect. */
export function eventStream({ events }: Session, version = "", text: string): string {
  const stream = crypto.randomUUID();
  const isPrimed = version >= FIRST_WITH_PRIMING;
  const priming = isPrimed ? `id: ${events.storeText(stream, "{}")}\nretry: ${RETRY_MS}\ndata: \n\n` : "";
  return `${priming}event: message\nid: ${events.storeText(stream, text)}\ndata: ${text}\n\n`;
}
