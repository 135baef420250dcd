import type * as Http from "node:http";
import type * as Zlib from "node:zlib";
import type { Multipart } from "./multipart.ts";
import type { Method } from "./operations/index.ts";

/** A request as it goes out. */
export interface WireRequest {
  readonly method: Method;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Some of them are the caller's own, which `fetch` checks: one about the connection could do harm. */
  readonly hasCallerHeaders: boolean;
  readonly body: string | Multipart | undefined;
  /** Read the body of a success as bytes, not as text. */
  readonly isBytes: boolean;
}

export type AnswerHeaders = Pick<Headers, "get">;

/** What X answered, without its body. */
export interface WireResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: AnswerHeaders;
  readonly allHeaders: () => Headers;
}

/** An answer with its body read whole. */
export interface WireAnswer {
  readonly response: WireResponse;
  readonly content: string | Uint8Array;
}

/** Sends one request. `onHead` is called when the headers of the answer are there. */
export type Exchange = (
  request: WireRequest,
  onHead: (headers: AnswerHeaders) => void,
) => { readonly answer: Promise<WireAnswer>; readonly cancel: () => void };

/**
 * The cheapest way to X here: Node's own client on connections that are kept, which takes little more than half the
 * processor time of its `fetch`. Where there is no Node, where somebody gives another `fetch`, or where a proxy is set
 * for it, that `fetch`.
 */
export function exchangeFor(given: typeof globalThis.fetch | undefined): Exchange {
  const fetch = given ?? globalThis.fetch;
  const node = isNodesOwn(fetch) && !hasProxy() ? builtIn() : undefined;
  return node === undefined ? fetchExchange(fetch) : nodeExchange(node, fetch);
}

/** Not one that somebody has put in its place, to watch or to answer requests. */
function isNodesOwn(fetch: typeof globalThis.fetch): boolean {
  return Function.prototype.toString.call(fetch).includes("internal/deps/undici");
}

/** `fetch` heeds these only then. */
function hasProxy(): boolean {
  return process.env.NODE_USE_ENV_PROXY === "1" || process.execArgv.includes("--use-env-proxy");
}

type BuiltIn = Pick<NodeJS.Process, "getBuiltinModule">;

function builtIn(): BuiltIn | undefined {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> };
  return process?.versions?.node !== undefined && process.getBuiltinModule !== undefined
    ? (process as BuiltIn)
    : undefined;
}

export function fetchExchange(fetch: typeof globalThis.fetch): Exchange {
  return ({ method, url, headers, body, isBytes }, onHead) => {
    const abort = new AbortController();
    const answer = async (): Promise<WireAnswer> => {
      const { signal } = abort;
      // X does not redirect; following one could repeat a write or hand the token to another host.
      const response = await fetch(url, { method, headers, ...bodyInit(body), signal, redirect: "manual" });
      onHead(response.headers);
      const { status, ok } = response;
      return {
        response: { status, ok, headers: response.headers, allHeaders: () => response.headers },
        content: isBytes && ok ? new Uint8Array(await response.arrayBuffer()) : await response.text(),
      };
    };
    return { answer: answer(), cancel: () => abort.abort() };
  };
}

function bodyInit(body: WireRequest["body"]): RequestInit {
  if (body === undefined) return {};
  if (typeof body === "string") return { body };
  // Only Node's type of a request has `duplex`.
  const streamed = { body: body.stream(), duplex: "half" as const };
  return streamed;
}

/** As long as `fetch` waits for a connection: a request without one was not sent. */
const CONNECT_MS = 10_000;
/** As long as `fetch` keeps a connection that the other side says nothing about. */
const IDLE_MS = 4_000;

function nodeExchange(node: BuiltIn, fetch: typeof globalThis.fetch): Exchange {
  const viaFetch = fetchExchange(fetch);
  const client = (scheme: "http" | "https") => {
    const module: Pick<typeof Http, "request" | "Agent"> = node.getBuiltinModule(`node:${scheme}`);
    return { module, agent: new module.Agent({ keepAlive: true, timeout: IDLE_MS }) };
  };
  const clients: Partial<Record<string, ReturnType<typeof client>>> = {};

  return (request, onHead) => {
    const { method, headers, hasCallerHeaders, body, isBytes } = request;
    // A file is a stream, which `fetch` takes.
    if (typeof body === "object" || hasCallerHeaders) return viaFetch(request, onHead);
    let sending: Http.ClientRequest | undefined;
    const answer = new Promise<WireAnswer>((resolve, reject) => {
      const url = new URL(request.url);
      const scheme = url.protocol === "https:" ? "https" : "http";
      clients[scheme] ??= client(scheme);
      const { module, agent } = clients[scheme];
      const bytes = body === undefined ? undefined : Buffer.from(body);
      sending = module.request(url, {
        method,
        agent,
        headers: {
          ...headers,
          "accept-encoding": "gzip, deflate, br",
          ...(bytes !== undefined && { "content-length": bytes.length }),
          ...(bytes === undefined && method !== "GET" && { "content-length": 0 }),
        },
      });
      sending.on("socket", (socket) => {
        if (!socket.connecting) return;
        const tooLate = setTimeout(() => sending?.destroy(new NeverConnected()), CONNECT_MS);
        const stop = () => clearTimeout(tooLate);
        socket.once(scheme === "https" ? "secureConnect" : "connect", stop).once("close", stop);
      });
      sending.on("error", reject);
      sending.on("response", (incoming) => {
        const response = responseOf(incoming);
        onHead(response.headers);
        const parts: Buffer[] = [];
        incoming.on("data", (part: Buffer) => parts.push(part));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const [first = Buffer.alloc(0)] = parts;
          const whole = parts.length > 1 ? Buffer.concat(parts) : first;
          const read = (plain: Uint8Array) =>
            resolve({
              response,
              content: isBytes && response.ok ? new Uint8Array(plain) : utf8.decode(plain),
            });
          unpacked(node, incoming.headers["content-encoding"], whole).then(read).catch(reject);
        });
      });
      sending.end(bytes);
    });
    return { answer, cancel: () => sending?.destroy() };
  };
}

const utf8 = new TextDecoder();

class NeverConnected extends Error {
  readonly code = "UND_ERR_CONNECT_TIMEOUT";
}

function responseOf({ statusCode: status = 0, headers }: Http.IncomingMessage): WireResponse {
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get(name) {
        const value = headers[name];
        return typeof value === "object" ? value.join(", ") : (value ?? null);
      },
    },
    allHeaders: () =>
      new Headers(
        Object.entries(headers).flatMap(([name, value = ""]) =>
          [value].flat().map((one): [string, string] => [name, one]),
        ),
      ),
  };
}

/** What a body says without the packing that it was sent in. */
async function unpacked(node: BuiltIn, encoding: string | undefined, body: Buffer): Promise<Uint8Array> {
  if (encoding === undefined || encoding === "identity" || body.length === 0) return body;
  const zlib: typeof Zlib = node.getBuiltinModule("node:zlib");
  const unpack = {
    gzip: zlib.gunzip,
    "x-gzip": zlib.gunzip,
    deflate: zlib.inflate,
    br: zlib.brotliDecompress,
  }[encoding.trim().toLowerCase()];
  // A packing that nobody asked for: whoever reads the body says that it cannot be read.
  if (unpack === undefined) return body;
  return new Promise((resolve, reject) =>
    unpack(body, (error: Error | null, plain: Uint8Array) =>
      error === null ? resolve(plain) : reject(error),
    ),
  );
}
