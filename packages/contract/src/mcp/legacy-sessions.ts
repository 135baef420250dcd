import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { HOUR_MS } from "../durations.ts";
import { KnownForms } from "./direct-calls.ts";
import { refusal } from "./http-gate.ts";
import { knownPrincipal, type Principal, principalOf } from "./principal.ts";
import { RecentEvents } from "./recent-events.ts";

const MOST_SESSIONS = 256;
const MOST_OF_ONE_OWNER = 32;
/** A session unused for this long makes room for the next one. */
const IDLE_MS = HOUR_MS;
/** How long a client whose connection broke waits before it comes back. */
export const RETRY_MS = 1000;

/** One session of a client. */
export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: RecentEvents;
  /** Of calls that the SDK has taken in this session. */
  readonly forms: KnownForms;
  /** Calls that the SDK has not got yet, by their id. */
  readonly begun: Map<string | number, BegunInSession>;
  /** The principal that began it; no other may use it. */
  readonly owner: string | undefined;
  usedAt: number;
}

/** A call of a session that the SDK has not got yet. */
export interface BegunInSession {
  /** Lets the SDK go on with it. */
  readonly handOver: () => void;
  /** Resolves when the SDK has it. */
  readonly released: Promise<void>;
}

/**
 * Sessions for clients of the protocol before 2026: questions to the person and cancellations need a connection that
 * remembers. A client must come back to the same process. Their number and idle time are bounded.
 */
export class LegacySessions {
  private readonly open = new Map<string, Session>();
  private readonly newServer: (principal: Principal | undefined) => Server;
  private readonly now: () => number;

  constructor(newServer: (principal: Principal | undefined) => Server, now: () => number = Date.now) {
    this.newServer = newServer;
    this.now = now;
  }

  /** `hasBegun`: it is a call that was begun before, which the SDK now gets. */
  async fetch(
    request: Request,
    parsedBody: unknown,
    authInfo: AuthInfo | undefined,
    hasBegun = false,
  ): Promise<Response> {
    const transport = await this.transportFor(request.headers.get("mcp-session-id"), authInfo, hasBegun);
    return (
      transport?.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) }) ??
      refusal(404, "This session has ended. Initialize a new one.", {}, -32001)
    );
  }

  /** The session of a caller, who uses it by that. */
  find(id: string, authInfo: AuthInfo | undefined): Session | undefined {
    const session = this.open.get(id);
    if (session === undefined || session.owner !== (authInfo && principalOf(authInfo))) return undefined;
    // Touched sessions move to the end, so that the one dropped first is the one longest unused.
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
    hasBegun: boolean,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined> {
    if (id === null) return this.begin(authInfo && principalOf(authInfo), knownPrincipal(authInfo));
    const session = this.find(id, authInfo);
    // What else comes, such as a cancellation, may be about a call that has begun: the SDK must know it first.
    if (session !== undefined && session.begun.size > 0 && !hasBegun) {
      const begun = [...session.begun.values()];
      for (const { handOver } of begun) handOver();
      await Promise.all(begun.map(({ released }) => released));
    }
    return session?.transport;
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
      onsessioninitialized: (id) =>
        this.remember(id, {
          transport,
          events,
          forms: new KnownForms(),
          begun: new Map(),
          owner,
          usedAt: this.now(),
        }),
      onsessionclosed: (id) => void this.open.delete(id),
    });
    await this.newServer(principal).connect(transport);
    return transport;
  }

  private remember(id: string, session: Session): void {
    this.makeRoomFor(session);
    this.open.set(id, session);
  }

  /** Ends idle sessions first, then those of an owner who has many, and only then the one longest unused. */
  private makeRoomFor({ owner, usedAt }: Session): void {
    const sessions = [...this.open];
    const idle = sessions.filter(([, session]) => usedAt - session.usedAt >= IDLE_MS);
    const own = owner === undefined ? [] : sessions.filter(([, session]) => session.owner === owner);
    for (const [id] of idle) this.end(id);
    if (own.length >= MOST_OF_ONE_OWNER && own[0] !== undefined) this.end(own[0][0]);
    const [oldest] = this.open.keys();
    if (this.open.size >= MOST_SESSIONS && oldest !== undefined) this.end(oldest);
  }

  private end(id: string): void {
    const session = this.open.get(id);
    this.open.delete(id);
    void session?.transport.close();
  }
}
