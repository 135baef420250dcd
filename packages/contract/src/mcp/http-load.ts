import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Concurrent requests, streams included, and response bytes that clients have not read. */
const KNOWN: PoolLimits = { requests: 512, unreadBytes: 32 * 1024 * 1024 };
const STRANGERS: PoolLimits = { requests: 128, perAddress: 32, unreadBytes: 8 * 1024 * 1024 };
/** Unauthenticated connections. A proxy may open hundreds at once. */
const CONNECTIONS = { total: 2_048, perAddress: 512 };

interface PoolLimits {
  readonly requests: number;
  readonly perAddress?: number;
  readonly unreadBytes: number;
}

/** The open requests of one kind of caller, oldest first. */
class Pool {
  private readonly most: PoolLimits;
  private readonly open = new Set<OpenRequest>();
  unreadBytes = 0;

  constructor(most: PoolLimits) {
    this.most = most;
  }

  add(request: OpenRequest): void {
    this.open.add(request);
  }

  delete(request: OpenRequest): void {
    this.open.delete(request);
  }

  /** True if this address gets no more room. The oldest request that waits for its client is cut first. */
  isFullFor(address: string): boolean {
    if (this.isTooManyOf(address)) this.cutOldest(address);
    else if (this.isFull()) this.cutOldest(undefined);
    return this.isFull() || this.isTooManyOf(address);
  }

  private isFull(): boolean {
    return this.open.size >= this.most.requests || this.unreadBytes > this.most.unreadBytes;
  }

  private isTooManyOf(address: string): boolean {
    if (this.most.perAddress === undefined) return false;
    let count = 0;
    for (const request of this.open) if (request.address === address) count += 1;
    return count >= this.most.perAddress;
  }

  private cutOldest(address: string | undefined): void {
    for (const request of this.open) {
      if (!request.isWaiting || (address !== undefined && request.address !== address)) continue;
      request.cut();
      return;
    }
  }
}

interface OpenConnection {
  readonly socket: Socket;
  readonly address: string;
  readonly requests: Set<OpenRequest>;
  readonly gone: AbortController;
  /** A request on it has ended. */
  isServed: boolean;
}

/**
 * Counts connections, open requests and unread bytes. Strangers have separate small limits, and agents
 * cannot block people at a page.
 */
export class Load {
  readonly agents = new Pool(KNOWN);
  readonly people = new Pool(KNOWN);
  readonly strangers = new Pool(STRANGERS);
  private readonly connections = new WeakMap<Socket, OpenConnection>();
  /** Oldest first. */
  private readonly unknown = new Set<OpenConnection>();
  private readonly handshakes = new Map<string, Socket>();

  /** Until TLS is done and `watch` is called with the inner socket. */
  watchHandshake(socket: Socket): void {
    this.handshakes.set(endsOf(socket), socket);
    socket.once("close", () => this.handshakes.delete(endsOf(socket)));
    this.watch(socket);
  }

  watch(socket: Socket): void {
    const outer = this.handshakes.get(endsOf(socket));
    const handshake = outer === undefined || outer === socket ? undefined : this.connections.get(outer);
    if (handshake !== undefined) this.unknown.delete(handshake);
    const address = socket.remoteAddress ?? "";
    const connection: OpenConnection = {
      socket,
      address,
      requests: new Set(),
      gone: new AbortController(),
      isServed: false,
    };
    this.connections.set(socket, connection);
    this.unknown.add(connection);
    socket.once("close", () => {
      connection.gone.abort();
      this.connections.delete(socket);
      this.unknown.delete(connection);
      for (const request of connection.requests) request.end();
    });
    const own = [...this.unknown].filter((one) => one.address === address);
    if (own.length > CONNECTIONS.perAddress) closeOldest(own);
    else if (this.unknown.size > CONNECTIONS.total) closeOldest(this.unknown);
  }

  /** Counts as unauthenticated until its caller is in `pool`. */
  begin(socket: Socket, pool: Pool): OpenRequest {
    const connection = this.connections.get(socket);
    return new OpenRequest(this.strangers, pool, connection, () => {
      if (connection !== undefined) this.unknown.delete(connection);
    });
  }

  /** Node does not report the end for responses queued on the connection. */
  gone(socket: Socket): AbortSignal {
    return this.connections.get(socket)?.gone.signal ?? AbortSignal.abort();
  }

  /** True if no other request is open on it. */
  hasOne(socket: Socket): boolean {
    return this.connections.get(socket)?.requests.size === 1;
  }
}

function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Closes the oldest of those answered before, or of the others, whichever are more. A flood of one kind
 * spares the other.
 */
function closeOldest(connections: Iterable<OpenConnection>): void {
  const served: OpenConnection[] = [];
  const unserved: OpenConnection[] = [];
  for (const connection of connections)
    if ([...connection.requests].every((request) => request.isWaiting))
      (connection.isServed ? served : unserved).push(connection);
  const [oldest] = served.length > unserved.length ? served : unserved;
  oldest?.socket.destroy();
}

interface ClientWait {
  /** Called when another request needs the room. */
  readonly isOn: () => boolean;
  /** Called when another request needs the room. */
  readonly onCut: () => void;
}

class OpenRequest {
  readonly address: string;
  private readonly knownPool: Pool;
  private readonly connection: OpenConnection | undefined;
  private readonly onFirstKnown: () => void;
  private pool: Pool;
  private unreadBytes = 0;
  private isOver = false;
  private wait: ClientWait | undefined;

  constructor(
    strangers: Pool,
    knownPool: Pool,
    connection: OpenConnection | undefined,
    onFirstKnown: () => void,
  ) {
    this.address = connection?.address ?? "";
    this.knownPool = knownPool;
    this.connection = connection;
    this.onFirstKnown = onFirstKnown;
    this.pool = strangers;
    this.pool.add(this);
    connection?.requests.add(this);
  }

  get isKnown(): boolean {
    return this.pool === this.knownPool;
  }

  readonly onKnown = (): void => {
    if (this.isKnown || this.isOver) return;
    this.pool.delete(this);
    this.pool = this.knownPool;
    this.pool.add(this);
    this.onFirstKnown();
  };

  /** True if the caller is unknown and there is no room. */
  isTooMany(): boolean {
    if (this.isOver || this.isKnown) return false;
    // It does not count itself.
    this.pool.delete(this);
    const isFull = this.pool.isFullFor(this.address);
    this.pool.add(this);
    return isFull;
  }

  /** Waits unless another request needs the room. */
  get isWaiting(): boolean {
    return this.wait?.isOn() === true;
  }

  /** Waits unless another request needs the room. */
  waitForClient(wait: ClientWait | undefined): void {
    this.wait = wait;
  }

  cut(): void {
    const { wait } = this;
    this.wait = undefined;
    this.end();
    wait?.onCut();
  }

  addUnread(bytes: number): void {
    if (this.isOver) return;
    this.unreadBytes += bytes;
    this.pool.unreadBytes += bytes;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.connection !== undefined) {
      this.connection.requests.delete(this);
      this.connection.isServed = true;
    }
    this.pool.delete(this);
    this.pool.unreadBytes -= this.unreadBytes;
  }
}

/** Calls without an answer. */
export class OpenCalls {
  private readonly open = new Set<ServerResponse>();
  private whenEnded: (() => void) | undefined;

  add(outgoing: ServerResponse): void {
    this.open.add(outgoing);
  }

  forget(outgoing: ServerResponse): void {
    this.open.delete(outgoing);
    if (this.open.size === 0) this.whenEnded?.();
  }

  ended(): Promise<void> {
    return this.open.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.whenEnded = resolve;
        });
  }
}
