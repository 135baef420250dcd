import type { Socket } from "node:net";

/** Requests that are open at the same time, streams among them, and answers that clients have not read. */
const KNOWN = { requests: 512, unreadBytes: 32 * 1024 * 1024 };
const STRANGERS = { requests: 128, unreadBytes: 8 * 1024 * 1024 };

/** The open requests of one kind of caller. */
class Pool {
  private readonly most: typeof KNOWN;
  requests = 0;
  unreadBytes = 0;

  constructor(most: typeof KNOWN) {
    this.most = most;
  }

  isFull(): boolean {
    return this.requests >= this.most.requests || this.unreadBytes > this.most.unreadBytes;
  }
}

interface OpenConnection {
  readonly requests: Set<OpenRequest>;
  readonly gone: AbortController;
}

/**
 * Requests that are open and answers that clients have not read yet. A connection that ends takes its share with it. Strangers have small
 * bounds of their own, so that known callers are served whatever strangers do.
 */
export class Load {
  readonly known = new Pool(KNOWN);
  readonly strangers = new Pool(STRANGERS);
  private readonly connections = new WeakMap<Socket, OpenConnection>();

  watch(socket: Socket): void {
    const connection = { requests: new Set<OpenRequest>(), gone: new AbortController() };
    this.connections.set(socket, connection);
    socket.once("close", () => {
      connection.gone.abort();
      this.connections.delete(socket);
      for (const request of connection.requests) request.end();
    });
  }

  /** A request counts among those of strangers until its caller is known. */
  begin(socket: Socket): OpenRequest {
    return new OpenRequest(this, this.connections.get(socket)?.requests ?? new Set());
  }

  /** Aborted when the connection ends. Of responses that wait behind another on it, Node does not say so. */
  gone(socket: Socket): AbortSignal {
    return this.connections.get(socket)?.gone.signal ?? AbortSignal.abort();
  }

  /** Whether this connection has no other request open: they would wait for each other. */
  hasOne(socket: Socket): boolean {
    return this.connections.get(socket)?.requests.size === 1;
  }
}

/** One request, until it is answered or its connection has ended. */
class OpenRequest {
  private readonly load: Load;
  private readonly ofConnection: Set<OpenRequest>;
  private pool: Pool;
  private unreadBytes = 0;
  private isOver = false;

  constructor(load: Load, ofConnection: Set<OpenRequest>) {
    this.load = load;
    this.ofConnection = ofConnection;
    this.pool = load.strangers;
    this.pool.requests += 1;
    ofConnection.add(this);
  }

  get isKnown(): boolean {
    return this.pool === this.load.known;
  }

  /** Called when the caller has shown who they are. */
  readonly onKnown = (): void => {
    if (this.isKnown || this.isOver) return;
    this.pool.requests -= 1;
    this.pool = this.load.known;
    this.pool.requests += 1;
  };

  addUnread(bytes: number): void {
    if (this.isOver) return;
    this.unreadBytes += bytes;
    this.pool.unreadBytes += bytes;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.ofConnection.delete(this);
    this.pool.requests -= 1;
    this.pool.unreadBytes -= this.unreadBytes;
  }
}
