import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MAX_EVENTS = 100;
/** Per session. */
const MAX_CHARACTERS = 250_000;

interface SentEvent {
  readonly streamId: string;
  /** The message or its JSON. */
  readonly message: JSONRPCMessage | string;
  readonly size: number;
}

/** The last events of a session, for clients that reconnect. */
export class RecentEvents implements EventStore {
  private readonly events = new Map<number, SentEvent>();
  private last = 0;
  private size = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return this.store(streamId, message, JSON.stringify(message).length);
  }

  /** Stores a message that is JSON text already. */
  storeText(streamId: string, text: string): string {
    return this.store(streamId, text, text.length);
  }

  private store(streamId: string, message: JSONRPCMessage | string, size: number): string {
    this.last++;
    this.events.set(this.last, { streamId, message, size });
    this.size += size;
    for (const [id, oldest] of this.events) {
      // Keep the last event whatever its size: the client may reconnect for it.
      if (id === this.last || (this.events.size <= MAX_EVENTS && this.size <= MAX_CHARACTERS)) break;
      this.events.delete(id);
      this.size -= oldest.size;
    }
    return String(this.last);
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.events.get(Number(id))?.streamId;
  }

  async replayEventsAfter(
    lastSeen: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const seen = this.events.get(Number(lastSeen));
    if (seen === undefined) throw new Error(`Event ${Number(lastSeen)} is no longer stored.`);
    for (const [id, { streamId, message }] of this.events)
      if (id > Number(lastSeen) && streamId === seen.streamId)
        await send(String(id), typeof message === "string" ? JSON.parse(message) : message);
    return seen.streamId;
  }
}
