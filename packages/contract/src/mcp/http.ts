import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { McpApp } from "./app.ts";
import { headOf } from "./http-calls.ts";
import { hostname, isLoopback, refusal } from "./http-gate.ts";
import {
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
  httpParts,
  PATH,
  type ReadBody,
  type Shortcut,
} from "./http-handler.ts";
import { startPageSite } from "./start-page.ts";

export { createHttpHandler, type HttpHandler, type HttpHandlerOptions, startPageSite };

/** Where and to whom an app is served. */
export interface HttpOptions extends HttpHandlerOptions {
  /** 127.0.0.1 unless said otherwise; anything but loopback needs a token or an issuer. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Certificate and key, in PEM, where it speaks TLS itself. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whoever has not sent a whole request after so long is cut off; 30 s unless said otherwise. */
  readonly requestMs?: number;
}

/** A server that listens. */
export interface HttpServing {
  /** Where clients connect. */
  readonly url: string;
  /**
   * Says at `/readyz` that no more requests are wanted, lets the calls that are under way finish, and closes. What is
   * not done in time is cancelled.
   */
  readonly drain: (options: DrainOptions) => Promise<void>;
  /** Ends everything at once. */
  readonly close: () => Promise<void>;
}

/** How long a server that ends takes care of its clients. */
export interface DrainOptions {
  /** For so long it still accepts connections, if a proxy asks for `/readyz` and so has to notice. */
  readonly delayMs: number;
  /** For so long calls may then go on. */
  readonly deadlineMs: number;
}

/**
 * Serves any number of clients over Streamable HTTP.
 *
 * ```ts
 * const { url, close } = await serveHttp(app, { port: 0 });
 * ```
 */
export async function serveHttp(app: McpApp, options: HttpOptions): Promise<HttpServing> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host) && options.token === undefined && options.oauth === undefined) {
    throw new Error(`${host} can be reached from other machines: set a token or an OAuth issuer first.`);
  }
  const { handler, shortcut } = httpParts(app, withOwnName(host, options));
  const load = new Load();
  const calls = new OpenCalls();
  const server = await newServer(options, (request, response) => {
    if (load.isFull()) refuseBusy(response);
    else void answer({ handler, shortcut, load, calls, onError: options.onError }, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on(options.tls === undefined ? "connection" : "secureConnection", (socket) => load.watch(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, resolve);
  });
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await handler.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${bracketed(host)}:${port}/mcp`,
    async drain({ delayMs, deadlineMs }) {
      handler.probes.isDraining = true;
      if (handler.probes.areAsked) await setTimeout(delayMs);
      server.close();
      const deadline = new AbortController();
      await Promise.race([
        calls.ended(),
        setTimeout(deadlineMs, undefined, { signal: deadline.signal }).catch(() => undefined),
      ]);
      deadline.abort();
      await close();
    },
    close,
  };
}

const REQUEST_MS = 30_000;
const HEADERS_MS = 15_000;

/** Half-sent requests hold a connection, so their time is limited, as is the number of connections. */
async function newServer(
  { tls, requestMs = REQUEST_MS }: HttpOptions,
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
) {
  const limits: ServerOptions = {
    requestTimeout: requestMs,
    headersTimeout: Math.min(HEADERS_MS, requestMs),
    connectionsCheckingInterval: Math.min(5_000, requestMs),
  };
  if (tls === undefined) return createServer(limits, listener);
  // Loaded only here: every other start would pay for it.
  const { createServer: createTlsServer } = await import("node:https");
  return createTlsServer({ ...limits, ...tls, handshakeTimeout: limits.headersTimeout }, listener);
}

/** The calls that have not been answered yet. */
class OpenCalls {
  private readonly open = new Set<ServerResponse>();
  private whenEnded: (() => void) | undefined;

  add(outgoing: ServerResponse): void {
    this.open.add(outgoing);
  }

  /** For a response that is closed, or that nobody waits for. */
  forget(outgoing: ServerResponse): void {
    this.open.delete(outgoing);
    if (this.open.size === 0) this.whenEnded?.();
  }

  /** Resolves when there are none. */
  ended(): Promise<void> {
    return this.open.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.whenEnded = resolve;
        });
  }
}

/** Where host names are checked, the address it binds is one of them, unless that means every address. */
function withOwnName(host: string, options: HttpOptions): HttpOptions {
  const checked = options.allowedHosts !== undefined || options.oauth !== undefined;
  const name = hostname(`http://${bracketed(host)}`);
  if (!checked || name === undefined || EVERY_ADDRESS.has(name)) return options;
  return { ...options, allowedHosts: [name, ...(options.allowedHosts ?? [])] };
}

const EVERY_ADDRESS = new Set(["0.0.0.0", "[::]"]);

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Pages hold a connection or two, idle clients one. */
const MAX_CONNECTIONS = 4_096;
/** Responses that are open at the same time, streams among them. */
const MAX_OPEN = 512;
/** Answers that clients have not read, of all connections together. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

interface Share {
  open: number;
  unreadBytes: number;
  readonly gone: AbortSignal;
}

/** What clients have asked for and not read yet. A connection that ends takes its share with it. */
class Load {
  private open = 0;
  private unreadBytes = 0;
  private readonly shares = new WeakMap<Socket, Share>();

  isFull(): boolean {
    return this.open >= MAX_OPEN || this.unreadBytes > MAX_UNREAD_BYTES;
  }

  watch(socket: Socket): void {
    const gone = new AbortController();
    const share = { open: 0, unreadBytes: 0, gone: gone.signal };
    this.shares.set(socket, share);
    socket.once("close", () => {
      gone.abort();
      this.shares.delete(socket);
      this.open -= share.open;
      this.unreadBytes -= share.unreadBytes;
    });
  }

  /** Aborted when the connection ends. Of responses that wait behind another on it, Node does not say so. */
  gone(socket: Socket): AbortSignal {
    return this.shares.get(socket)?.gone ?? AbortSignal.abort();
  }

  /** Whether this connection has no other response open: they would wait for each other. */
  hasOne(socket: Socket): boolean {
    return this.shares.get(socket)?.open === 1;
  }

  add(socket: Socket, open: number, unreadBytes: number): void {
    const share = this.shares.get(socket);
    if (share === undefined) return;
    share.open += open;
    share.unreadBytes += unreadBytes;
    this.open += open;
    this.unreadBytes += unreadBytes;
  }
}

function refuseBusy(outgoing: ServerResponse): void {
  outgoing.writeHead(503, { "retry-after": "1", connection: "close" }).end();
}

interface Serving {
  readonly handler: HttpHandler;
  readonly shortcut: Shortcut;
  readonly load: Load;
  readonly calls: OpenCalls;
  readonly onError: ((error: Error) => void) | undefined;
}

async function answer(
  { handler, shortcut, load, calls, onError }: Serving,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { socket } = incoming;
  let unreadBytes = 0;
  let abort: (() => void) | undefined;
  load.add(socket, 1, 0);
  calls.add(outgoing);
  outgoing.once("close", () => {
    load.add(socket, -1, -unreadBytes);
    calls.forget(outgoing);
    if (!outgoing.writableFinished) abort?.();
  });
  const send = (status: number, headers: OutgoingHttpHeaders, body: string | Uint8Array) => {
    unreadBytes = Buffer.byteLength(body);
    load.add(socket, 0, unreadBytes);
    outgoing.writeHead(status, { ...headers, "content-length": unreadBytes }).end(body);
  };
  let release: (() => void) | undefined;
  try {
    let readBody: ReadBody = (maxBytes) => read(incoming, maxBytes);
    let handOver: ((request: Request) => () => void) | undefined;
    const mayBeCall = incoming.method === "POST" && incoming.url === PATH && load.hasOne(socket);
    const head = mayBeCall ? headOf(incoming.rawHeaders) : undefined;
    const isOpen = head !== undefined && shortcut.isOpenTo(head);
    const asking = isOpen ? shortcut.admit(head) : undefined;
    const auth = asking instanceof Promise ? await asking : asking;
    // Of whoever is refused, no body is read.
    if (isOpen && auth !== "unknown" && !(auth instanceof Response)) {
      const body = await readBody(shortcut.maxBodyBytes);
      readBody = async () => body;
      const whenGone = (leave: () => void) => {
        abort = leave;
        if (outgoing.destroyed) leave();
      };
      const direct = body && (await shortcut.answer(head, body, auth, whenGone));
      if (direct?.headers !== undefined)
        return send(200, { ...direct.headers, ...lastOfConnection(handler) }, direct.text);
      handOver = direct?.handOver;
    }
    const request = requestOf(incoming, outgoing, load.gone(socket));
    if (!(request instanceof Response)) {
      if (isOpen) shortcut.goOn(request, auth);
      release = handOver?.(request);
    }
    const response =
      request instanceof Response ? request : await handler.answer(request, readBody, socket.remoteAddress);
    release?.();
    const headers = {
      ...Object.fromEntries(response.headers),
      ...lastOfConnection(handler),
    };
    if (response.body !== null && response.headers.get("content-type")?.startsWith("text/event-stream")) {
      if (handler.isListening(response)) calls.forget(outgoing);
      outgoing.writeHead(response.status, headers);
      await stream(response.body, outgoing);
    } else {
      // Text of a known length leaves in one piece together with the head; bytes would not.
      const body = isText(response.headers)
        ? await response.text()
        : new Uint8Array(await response.arrayBuffer());
      send(response.status, headers, body);
    }
  } catch (error) {
    onError?.(error as Error);
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  } finally {
    release?.();
  }
}

/** A client or proxy that kept the connection would send its next request to a server that is gone. */
function lastOfConnection({ probes }: HttpHandler): OutgoingHttpHeaders | undefined {
  return probes.isDraining ? { connection: "close" } : undefined;
}

function isText(headers: Headers): boolean {
  return (
    !headers.has("content-encoding") &&
    /^(text\/|application\/json|$)/.test(headers.get("content-type") ?? "")
  );
}

/**
 * Sends the head at once, since the first event may come much later. When the client disconnects the stream ends too,
 * so that it can open another.
 */
async function stream(body: ReadableStream, outgoing: ServerResponse): Promise<void> {
  outgoing.flushHeaders();
  // The web stream is Node's own; its type in the DOM library lacks the iterator.
  const events = Readable.fromWeb(body as import("node:stream/web").ReadableStream);
  await pipeline(events, outgoing).catch((error) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
}

/** The request, or the answer to one that the web has no form for. */
function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Request | Response {
  const aborted = new AbortController();
  outgoing.once("close", () => !outgoing.writableFinished && aborted.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const { method = "GET" } = incoming;
  const scheme = "encrypted" in incoming.socket ? "https" : "http";
  const url = `${scheme}://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`;
  try {
    return new Request(url, { method, headers, signal: AbortSignal.any([aborted.signal, gone]) });
  } catch {
    return URL.canParse(url)
      ? refusal(405, "This server knows GET, POST and DELETE.", { allow: "GET, POST, DELETE" })
      : refusal(400, "The Host header or the address of the request cannot be read.");
  }
}

function read(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on("data", (part: Buffer) => {
      size += part.length;
      if (size > maxBytes) resolve(undefined);
      else parts.push(part);
    });
    incoming.once("end", () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    incoming.once("error", reject);
  });
}
