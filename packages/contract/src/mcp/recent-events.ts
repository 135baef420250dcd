import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MOST_EVENTS = 100;
/** Per session, of which there may be a few hundred. */
const MOST_CHARACTERS = 250_000;

interface SentEvent {
  readonly streamId: string;
  /** Or its JSON. */
  readonly message: JSONRPCMessage | string;
  readonly size: number;
}

/** What one session was last sent, so that a client whose connection broke can come back for the rest. */
export class RecentEvents implements EventStore {
  private readonly events = new Map<number, SentEvent>();
  private last = 0;
  private size = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return this.store(streamId, message, JSON.stringify(message).length);
  }

  /** The same for a message that is JSON already. */
  storeText(streamId: string, text: string): string {
    return this.store(streamId, text, text.length);
  }

  private store(streamId: string, message: JSONRPCMessage | string, size: number): string {
    this.last++;
    this.events.set(this.last, { streamId, message, size });
    this.size += size;
    for (const [id, oldest] of this.events) {
      // The last event stays whatever its size: it may be the answer that the client comes back for.
      if (id === this.last || (this.events.size <= MOST_EVENTS && this.size <= MOST_CHARACTERS)) break;
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
