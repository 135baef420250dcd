import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { HOUR_MS } from "../durations.ts";
import { refusal } from "./http-gate.ts";
import { knownPrincipal, type Principal, principalOf } from "./principal.ts";
import { RecentEvents } from "./recent-events.ts";

const MAX_SESSIONS = 256;
const MAX_PER_OWNER = 32;
/** A session unused for this long makes room for the next one. */
const IDLE_MS = HOUR_MS;
/** How long a client waits before it reconnects. */
export const RETRY_MS = 1000;

/** One session of a client. */
export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: RecentEvents;
  /** The principal that started the session; no other may use it. */
  readonly owner: string | undefined;
  usedAt: number;
}

/**
 * Sessions for clients of the protocol before 2026: questions to the user and cancellations need a stateful connection.
 * A client must return to the same process. Number and idle time of sessions are limited.
 */
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

  /** Returns the caller's session and marks it as used. */
  find(id: string, authInfo: AuthInfo | undefined): Session | undefined {
    const session = this.open.get(id);
    if (session === undefined || session.owner !== (authInfo && principalOf(authInfo))) return undefined;
    // Moved to the end, so that the least recently used session is dropped first.
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

  /** Ends idle sessions first, then those of an owner with many, then the least recently used one. */
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
