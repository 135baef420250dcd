import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { refusal } from "./http-gate.ts";
import { principalOf } from "./principal.ts";
import { RecentEvents } from "./recent-events.ts";

const MOST_SESSIONS = 256;
/** How long a client whose connection broke waits before it comes back. */
const RETRY_MS = 1000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The principal that began it; nobody else may go on with it. */
  readonly owner: string | undefined;
}

/**
 * Sessions for clients of before 2026, whose questions to a person need a connection that remembers. Off unless
 * asked for: with them, a client must come back to the same replica.
 */
export class LegacySessions {
  private readonly open = new Map<string, Session>();
  private readonly newServer: () => Server;

  constructor(newServer: () => Server) {
    this.newServer = newServer;
  }

  async fetch(request: Request, parsedBody: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const transport = await this.transportFor(
      request.headers.get("mcp-session-id"),
      authInfo && principalOf(authInfo),
    );
    return (
      transport?.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) }) ??
      refusal(404, "This session has ended. Initialize a new one.", {}, -32001)
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map(({ transport }) => transport.close()));
  }

  private async transportFor(
    id: string | null,
    owner: string | undefined,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined> {
    if (id === null) return this.begin(owner);
    const session = this.open.get(id);
    if (session === undefined || session.owner !== owner) return undefined;
    // Touched sessions move to the end, so that the one dropped first is the one longest unused.
    this.open.delete(id);
    this.open.set(id, session);
    return session.transport;
  }

  private async begin(owner: string | undefined): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new RecentEvents(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => this.keep(id, { transport, owner }),
      onsessionclosed: (id) => void this.open.delete(id),
    });
    await this.newServer().connect(transport);
    return transport;
  }

  private keep(id: string, session: Session): void {
    this.open.set(id, session);
    const [oldest] = this.open;
    if (this.open.size <= MOST_SESSIONS || oldest === undefined) return;
    this.open.delete(oldest[0]);
    void oldest[1].transport.close();
  }
}
