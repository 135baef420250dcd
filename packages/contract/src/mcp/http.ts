import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { McpApp } from "./app.ts";
import type { HttpFastPath } from "./fast-path/http-fast-path.ts";
import { hostname, isLoopback, refusal } from "./http-gate.ts";
import {
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
  httpParts,
  PATH,
  type ReadBody,
} from "./http-handler.ts";
import { Load } from "./http-load.ts";
import { isProbe } from "./probes.ts";
import { startPageExtension } from "./start-page.ts";

export { createHttpHandler, type HttpHandler, type HttpHandlerOptions, startPageExtension };

/** Where and to whom an app is served. */
export interface HttpOptions extends HttpHandlerOptions {
  /** 127.0.0.1 unless said otherwise; anything but loopback needs a token or an issuer. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Certificate and key, in PEM, where it speaks TLS itself. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A client that has not sent a whole request after so long is cut off; 30 s unless said otherwise. */
  readonly requestMs?: number;
  /** How long a caller who has not shown who they are may take for the body of a request; 5 s unless said otherwise. */
  readonly strangerBodyMs?: number;
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
  const { handler, fastPath } = httpParts(app, withOwnName(host, options));
  const load = new Load();
  const calls = new OpenCalls();
  const { onError, strangerBodyMs = STRANGER_BODY_MS } = options;
  const server = await newServer(options, (request, response) => {
    if (isRefused(load, request)) refuseBusy(response);
    else void answer({ handler, fastPath, load, calls, onError, strangerBodyMs }, request, response);
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
const STRANGER_BODY_MS = 5_000;

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
/** Strangers are refused first: of a caller who shows nothing, that is known before anything is read. */
function isRefused({ known, strangers }: Load, { url = "", headers }: IncomingMessage): boolean {
  if (isProbe(url)) return false;
  if (known.isFull()) return true;
  return strangers.isFull() && headers.authorization === undefined && headers.cookie === undefined;
}

function refuseBusy(outgoing: ServerResponse): void {
  cutOff(outgoing, 503);
}

/** Ends a request whose body has not been read to its end, and the connection with it. */
function cutOff(outgoing: ServerResponse, status: 408 | 503): void {
  outgoing.writeHead(status, { ...(status === 503 && { "retry-after": "1" }), connection: "close" }).end();
}

interface Serving {
  readonly handler: HttpHandler;
  readonly fastPath: HttpFastPath | undefined;
  readonly load: Load;
  readonly calls: OpenCalls;
  readonly onError: ((error: Error) => void) | undefined;
  readonly strangerBodyMs: number;
}

async function answer(
  { handler, fastPath, load, calls, onError, strangerBodyMs }: Serving,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { socket } = incoming;
  let abort: (() => void) | undefined;
  const open = load.begin(socket);
  const isProbed = isProbe(incoming.url);
  // Proxies ask for health all the time, and need the answer most when the server is busy.
  if (isProbed) open.end();
  calls.add(outgoing);
  outgoing.once("close", () => {
    open.end();
    calls.forget(outgoing);
    if (!outgoing.writableFinished) abort?.();
  });
  const send = (status: number, headers: OutgoingHttpHeaders, body: string | Uint8Array) => {
    const bytes = Buffer.byteLength(body);
    open.addUnread(bytes);
    outgoing.writeHead(status, { ...headers, "content-length": bytes }).end(body);
  };
  const isTooMany = () => !isProbed && !open.isKnown && load.strangers.isFull();
  /** Why the body of a stranger was not read. */
  let cut: 408 | 503 | undefined;
  let release: (() => void) | undefined;
  try {
    const readBody: ReadBody = async (maxBytes) => {
      if (open.isKnown) return read(incoming, maxBytes);
      const body = isTooMany() ? "refused" : await readInTime(incoming, maxBytes, strangerBodyMs);
      if (typeof body !== "string") return body;
      cut = body === "late" ? 408 : 503;
      return undefined;
    };
    const mayBeCall = incoming.method === "POST" && incoming.url === PATH && load.hasOne(socket);
    const whenGone = (leave: () => void) => {
      abort = leave;
      if (outgoing.destroyed) leave();
    };
    const attempt = mayBeCall
      ? await fastPath?.tryAnswer({
          rawHeaders: incoming.rawHeaders,
          readBody,
          onKnown: open.onKnown,
          whenGone,
        })
      : undefined;
    if (attempt?.kind === "answered")
      return send(200, { ...attempt.headers, ...lastOfConnection(handler) }, attempt.text);
    const request = requestOf(incoming, outgoing, load.gone(socket));
    if (!(request instanceof Response)) release = attempt?.attachTo(request);
    const response =
      request instanceof Response
        ? request
        : await handler.answer(request, attempt?.readBody ?? readBody, socket.remoteAddress, open.onKnown);
    release?.();
    if (cut !== undefined || isTooMany()) return cutOff(outgoing, cut ?? 503);
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

/** The same as `read`; "late" where the body has not come in time. */
async function readInTime(incoming: IncomingMessage, maxBytes: number, ms: number) {
  const inTime = new AbortController();
  const late = setTimeout(ms, "late" as const, { signal: inTime.signal }).catch(() => undefined);
  try {
    return await Promise.race([read(incoming, maxBytes), late]);
  } finally {
    inTime.abort();
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
