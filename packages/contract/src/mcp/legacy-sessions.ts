import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type EventStore,
  type JSONRPCMessage,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { HOUR_MS } from "../clock.ts";
import { refusal } from "./http-gate.ts";
import { ANONYMOUS, knownPrincipal, type Principal, principalOf } from "./request.ts";

const MAX_SESSIONS = 256;
const MAX_PER_OWNER = 32;
/** An older unused session makes room for the next. */
const IDLE_MS = HOUR_MS;
/** Milliseconds before a client reconnects. */
export const RETRY_MS = 1000;

export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: RecentEvents;
  /** The principal that started the session or has signed in since; no other may use it. */
  owner: string | undefined;
  usedAt: number;
}

/** Sessions for legacy clients: questions and cancellations need a stateful connection to one process. */
export class LegacySessions {
  private readonly open = new Map<string, Session>();
  private readonly newServer: (principal: Principal | undefined) => Server;
  private readonly now: () => number;

  constructor(newServer: (principal: Principal | undefined) => Server, now: () => number = Date.now) {
    this.newServer = newServer;
    this.now = now;
  }

  async fetch(request: Request, parsedBody: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const transport = await this.transportFor(request.headers.get("mcp-session-id"), authInfo);
    return (
      transport?.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) }) ??
      refusal(404, "This session has ended. Initialize a new one.", {}, -32001)
    );
  }

  find(id: string, authInfo: AuthInfo | undefined): Session | undefined {
    const session = this.open.get(id);
    const caller = authInfo && principalOf(authInfo);
    // Clients sign in during a session when a tool first requires it.
    if (session?.owner === ANONYMOUS.id && caller !== undefined) session.owner = caller;
    if (session === undefined || session.owner !== caller) return undefined;
    // Moved to the end: the least recently used one is dropped first.
    this.open.delete(id);
    this.open.set(id, session);
    session.usedAt = this.now();
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map(({ transport }) => transport.close()));
  }

  private async transportFor(
    id: string | null,
    authInfo: AuthInfo | undefined,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined> {
    if (id === null) return this.begin(authInfo && principalOf(authInfo), knownPrincipal(authInfo));
    return this.find(id, authInfo)?.transport;
  }

  private async begin(
    owner: string | undefined,
    principal: Principal | undefined,
  ): Promise<WebStandardStreamableHTTPServerTransport> {
    const events = new RecentEvents();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => this.remember(id, { transport, events, owner, usedAt: this.now() }),
      onsessionclosed: (id) => void this.open.delete(id),
    });
    await this.newServer(principal).connect(transport);
    return transport;
  }

  private remember(id: string, session: Session): void {
    this.makeRoomFor(session);
    this.open.set(id, session);
  }

  /** Ends idle sessions first, then those of an owner with many, then the least recently used. */
  private makeRoomFor({ owner, usedAt }: Session): void {
    const sessions = [...this.open];
    const idle = sessions.filter(([, session]) => usedAt - session.usedAt >= IDLE_MS);
    const own = owner === undefined ? [] : sessions.filter(([, session]) => session.owner === owner);
    for (const [id] of idle) this.end(id);
    if (own.length >= MAX_PER_OWNER && own[0] !== undefined) this.end(own[0][0]);
    const [oldest] = this.open.keys();
    if (this.open.size >= MAX_SESSIONS && oldest !== undefined) this.end(oldest);
  }

  private end(id: string): void {
    const session = this.open.get(id);
    this.open.delete(id);
    void session?.transport.close();
  }
}

const MAX_EVENTS = 100;
const MAX_CHARACTERS = 250_000;

interface SentEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage | string;
  readonly size: number;
}

/** For clients that reconnect. */
export class RecentEvents implements EventStore {
  private readonly events = new Map<number, SentEvent>();
  private last = 0;
  private size = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return this.store(streamId, message, JSON.stringify(message).length);
  }

  /** Stores JSON text. */
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
