import { randomUUID } from "node:crypto";
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { refusal } from "./http-gate.ts";

const MOST_SESSIONS = 256;

/**
 * Sessions for clients of before 2026, whose questions to a person need a connection that remembers. Off unless
 * asked for: with them, a client must come back to the same replica.
 */
export class LegacySessions {
  private readonly open = new Map<string, WebStandardStreamableHTTPServerTransport>();
  private readonly newServer: () => Server;

  constructor(newServer: () => Server) {
    this.newServer = newServer;
  }

  async fetch(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await this.begin()).handleRequest(request, { parsedBody });
    const session = this.open.get(id);
    if (session === undefined)
      return refusal(404, "This session has ended. Initialize a new one.", {}, -32001);
    // Touched sessions move to the end, so that the one dropped first is the one longest unused.
    this.open.delete(id);
    this.open.set(id, session);
    return session.handleRequest(request, { parsedBody });
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((session) => session.close()));
  }

  private async begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const session = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.keep(id, session),
      onsessionclosed: (id) => void this.open.delete(id),
    });
    await this.newServer().connect(session);
    return session;
  }

  private keep(id: string, session: WebStandardStreamableHTTPServerTransport): void {
    this.open.set(id, session);
    const [oldest] = this.open;
    if (this.open.size <= MOST_SESSIONS || oldest === undefined) return;
    this.open.delete(oldest[0]);
    void oldest[1].close();
  }
}
