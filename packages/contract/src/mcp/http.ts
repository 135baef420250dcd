import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { McpApp } from "./app.ts";
import type { HttpFastPath } from "./fast-path/http-fast-path.ts";
import { hostname, isLoopback } from "./http-gate.ts";
import { createHttpHandler, httpParts, PATH } from "./http-handler.ts";
import { Load, OpenCalls } from "./http-load.ts";
import type { HttpHandler, HttpHandlerOptions, ReadBody } from "./http-options.ts";
import { internals } from "./internals.ts";
import { limitedServer } from "./limited-server.ts";
import { readBody, requestOf, sendStream } from "./node-request.ts";
import { isProbe } from "./probes.ts";
import { startPageExtension } from "./start-page.ts";

export { createHttpHandler, type HttpHandler, type HttpHandlerOptions, startPageExtension };

/** Options of an HTTP server. */
export interface HttpOptions extends HttpHandlerOptions {
  /** Default 127.0.0.1. Others require a token, an issuer or a sign-in. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** In PEM, to serve TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Time for a client to send a request; default 30 s. */
  readonly requestMs?: number;
  /** Time for an unauthenticated body; default 5 s. */
  readonly strangerBodyMs?: number;
}

/** A running HTTP server. */
export interface HttpServing {
  readonly url: string;
  /** Fails `/readyz`, lets running calls finish, cancels those that take too long, and closes. */
  readonly drain: (options: DrainOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Time limits of a shutdown. */
export interface DrainOptions {
  /** How long to accept connections while a proxy that polls `/readyz` notices. */
  readonly delayMs: number;
  /** How long calls may continue afterwards. */
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
  const { token, oauth, signIn } = options;
  if (!isLoopback(host) && token === undefined && oauth === undefined && signIn === undefined) {
    throw new Error(
      `${host} can be reached from other machines: set a token, an OAuth issuer or a sign-in first.`,
    );
  }
  if (!isLoopback(host) && signIn !== undefined && signIn.publicUrl === undefined)
    throw new Error(`${host} can be reached from other machines: give openSignIn a publicUrl.`);
  const { handler, fastPath } = httpParts(app, withOwnName(host, options));
  const load = new Load();
  const calls = new OpenCalls();
  // After the first answer: the start does not wait for the tools.
  const { preload } = app[internals];
  const { onError, strangerBodyMs = STRANGER_BODY_MS } = options;
  const server = await limitedServer(options, (request, response) => {
    if (isRefused(load, request)) refuseBusy(response);
    else
      void answer({ handler, fastPath, load, calls, onError, strangerBodyMs }, request, response).then(
        preload,
      );
  });
  server.maxConnections = MAX_CONNECTIONS;
  if (options.tls === undefined) server.on("connection", (socket) => load.watch(socket));
  else {
    server.on("connection", (socket) => load.watchHandshake(socket));
    server.on("secureConnection", (socket) => load.watch(socket));
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await handler.close();
    server.closeAllConnections();
    await closed;
  };
  const url = `${options.tls === undefined ? "http" : "https"}://${bracketed(host)}:${port}/mcp`;
  signIn?.listensAt(new URL(url).origin);
  return {
    url,
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

const STRANGER_BODY_MS = 5_000;

/** Adds the bound address to the allowed names, unless it binds all. */
function withOwnName(host: string, options: HttpOptions): HttpOptions {
  const { allowedHosts, oauth, signIn, token } = options;
  const isSignInOnly = signIn !== undefined && token === undefined;
  const checked = allowedHosts !== undefined || oauth !== undefined || isSignInOnly;
  const name = hostname(`http://${bracketed(host)}`);
  if (!checked || name === undefined || EVERY_ADDRESS.has(name)) return options;
  return { ...options, allowedHosts: [name, ...(allowedHosts ?? [])] };
}

const EVERY_ADDRESS = new Set(["0.0.0.0", "[::]"]);

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

const MAX_CONNECTIONS = 4_096;
/** Callers without a token or cookie are known before anything is read. */
function isRefused(load: Load, { url, headers, socket: { remoteAddress = "" } }: IncomingMessage): boolean {
  if (isProbe(url)) return false;
  const isStranger = headers.authorization === undefined && headers.cookie === undefined;
  return (
    (isStranger && load.strangers.isFullFor(remoteAddress)) || poolOf(load, url).isFullFor(remoteAddress)
  );
}

/** Agents and people have separate limits. */
function poolOf({ agents, people }: Load, url: string | undefined) {
  return url === PATH ? agents : people;
}

function refuseBusy(outgoing: ServerResponse): void {
  cutOff(outgoing, 503);
}

/** The connection ends too. */
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
  const open = load.begin(socket, poolOf(load, incoming.url));
  const isProbed = isProbe(incoming.url);
  // Probes do not count: proxies need them most when the server is busy.
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
    // A known caller's answer may be the only report of an effect, so it keeps its place.
    if (!open.isKnown) open.waitForClient({ isOn: () => true, onCut: () => socket.destroy() });
    outgoing.writeHead(status, { ...headers, "content-length": bytes }).end(body);
  };
  const isTooMany = () => !isProbed && open.isTooMany();
  /** Set if the body was not read. */
  let cut: 408 | 503 | undefined;
  const isIncomplete = () => !incoming.complete;
  open.waitForClient({
    isOn: isIncomplete,
    onCut: () => {
      cut = 503;
      socket.destroy();
    },
  });
  let release: (() => void) | undefined;
  try {
    const readInTime: ReadBody = async (maxBytes) => {
      if (cut !== undefined || isTooMany()) {
        cut = 503;
        return undefined;
      }
      const body = await readBody(incoming, maxBytes, {
        ms: open.isKnown ? undefined : strangerBodyMs,
        canCut: (onCut) => open.waitForClient({ isOn: isIncomplete, onCut }),
      });
      open.waitForClient(undefined);
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
          readBody: readInTime,
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
        : await handler.answer(request, attempt?.readBody ?? readInTime, socket.remoteAddress, open.onKnown);
    release?.();
    if (cut !== undefined || isTooMany()) return cutOff(outgoing, cut ?? 503);
    const cookies = response.headers.getSetCookie();
    const headers = {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 1 && { "set-cookie": cookies }),
      ...lastOfConnection(handler),
    };
    if (response.body !== null && response.headers.get("content-type")?.startsWith("text/event-stream")) {
      if (handler.isListening(response)) calls.forget(outgoing);
      outgoing.writeHead(response.status, headers);
      await sendStream(response.body, outgoing);
    } else {
      // Text of a known length is sent with the head in one piece; bytes would not be.
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

/** During a shutdown the next request should go elsewhere. */
function lastOfConnection({ probes }: HttpHandler): OutgoingHttpHeaders | undefined {
  return probes.isDraining ? { connection: "close" } : undefined;
}

function isText(headers: Headers): boolean {
  return (
    !headers.has("content-encoding") &&
    /^(text\/|application\/json|$)/.test(headers.get("content-type") ?? "")
  );
}
