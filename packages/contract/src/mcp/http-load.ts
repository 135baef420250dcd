import type { Socket } from "node:net";

/** Limits of concurrent requests (streams included) and of response bytes that clients have not read. */
const KNOWN = { requests: 512, unreadBytes: 32 * 1024 * 1024 };
const STRANGERS = { requests: 128, unreadBytes: 8 * 1024 * 1024 };

/** The open requests of authenticated or of unauthenticated callers. */
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
 * Counts open requests and unread response bytes. A connection that ends releases its share. Unauthenticated callers
 * have their own small limits, so that they cannot block authenticated ones.
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

  /** A request counts as unauthenticated until its caller is known. */
  begin(socket: Socket): OpenRequest {
    return new OpenRequest(this, this.connections.get(socket)?.requests ?? new Set());
  }

  /** Aborted when the connection ends. Node does not report that for responses queued on the connection. */
  gone(socket: Socket): AbortSignal {
    return this.connections.get(socket)?.gone.signal ?? AbortSignal.abort();
  }

  /** True if the connection has no other open request, which would have to wait. */
  hasOne(socket: Socket): boolean {
    return this.connections.get(socket)?.requests.size === 1;
  }
}

/** One request, until it is answered or its connection ends. */
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

  /** Called when the caller is authenticated. */
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
