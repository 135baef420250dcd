import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MOST_EVENTS = 100;

interface SentEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** What one session was last sent, so that a client whose connection broke can come back for the rest. */
export class RecentEvents implements EventStore {
  private readonly events = new Map<number, SentEvent>();
  private last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.last++;
    this.events.set(this.last, { streamId, message });
    this.events.delete(this.last - MOST_EVENTS);
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
    if (seen === undefined)
      throw new Error(`Event ${Number(lastSeen)} is not among the last ${MOST_EVENTS}.`);
    for (const [id, { streamId, message }] of this.events)
      if (id > Number(lastSeen) && streamId === seen.streamId) await send(String(id), message);
    return seen.streamId;
  }
}
