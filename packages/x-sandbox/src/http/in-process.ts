import { type Call, type Delivery, pieces, type Reply, type Wait } from "./exchange.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Same answers, failures and aborts as over a network. */
export function inProcessFetch(handle: (call: Call) => Promise<Delivery>, wait: Wait): Fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.throwIfAborted();
    const delivery = await orAborted(handle(callOf(input, init)), signal);
    return bring(delivery, signal, wait);
  };
}

function callOf(input: string | URL | Request, init: RequestInit | undefined): Call {
  // Creating a Request costs more than all the rest.
  const body = init?.body ?? undefined;
  if (
    !(input instanceof Request) &&
    (body === undefined || typeof body === "string" || body instanceof Uint8Array)
  ) {
    const url = typeof input === "string" ? new URL(input) : input;
    const headers = new Headers(init?.headers);
    if (typeof body === "string" && !headers.has("content-type"))
      headers.set("content-type", "text/plain;charset=UTF-8");
    return callTo(url, init?.method ?? "GET", headers, body === undefined ? undefined : oneChunk(body));
  }
  // Only Node's request type has `duplex`.
  const streamed = { duplex: "half" as const, ...init };
  const request = new Request(input, init?.body instanceof ReadableStream ? streamed : init);
  return callTo(new URL(request.url), request.method, request.headers, request.body ?? undefined);
}

function callTo(
  url: URL,
  method: string,
  headers: Headers,
  body: AsyncIterable<Uint8Array> | undefined,
): Call {
  return {
    method: method.toUpperCase(),
    origin: url.origin,
    path: url.pathname,
    search: url.search.slice(1),
    query: url.searchParams,
    header: (name) => headers.get(name) ?? undefined,
    body,
  };
}

async function* oneChunk(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === "string" ? Buffer.from(body) : body;
}

function bring(
  delivery: Delivery,
  signal: AbortSignal | undefined | null,
  wait: Wait,
): Response | Promise<Response> {
  switch (delivery.how) {
    case "whole": {
      const { reply } = delivery;
      return responseOf(reply, typeof reply.body === "string" ? reply.body : streamOf(reply.body, signal));
    }
    case "slow":
      return responseOf(
        delivery.reply,
        streamOf(
          slowly(delivery.reply, delivery.chunks, () => wait(delivery.delayMs)),
          signal,
        ),
      );
    case "stall":
      return responseOf(delivery.reply, streamOf(half(delivery.reply), signal));
    case "drop":
      throw failure("other side closed", "UND_ERR_SOCKET");
    case "reset":
      throw failure("read ECONNRESET", "ECONNRESET");
    case "hang":
      return orAborted(new Promise(() => {}), signal);
  }
}

function responseOf({ status, headers }: Reply, body: string | ReadableStream<Uint8Array>): Response {
  const bodiless = status === 204 || status === 304;
  return new Response(bodiless ? null : body, { status, headers });
}

/** As Node's `fetch` rejects with. */
function failure(message: string, code: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
}

async function* slowly(reply: Reply, chunks: number, pause: () => Promise<unknown>): AsyncGenerator<string> {
  for (const piece of pieces(reply, chunks)) {
    yield piece;
    await pause();
  }
}

async function* half(reply: Reply): AsyncGenerator<string> {
  const [first = ""] = pieces(reply, 2);
  yield first;
  await new Promise(() => {});
}

/** Fails with the caller's abort reason. */
function streamOf(
  source: AsyncIterable<string>,
  signal: AbortSignal | undefined | null,
): ReadableStream<Uint8Array> {
  const lines = source[Symbol.asyncIterator]();
  return new ReadableStream({
    start(controller) {
      const abort = (): void => {
        controller.error(signal?.reason);
        void lines.return?.();
      };
      signal?.addEventListener("abort", abort, { once: true });
    },
    async pull(controller) {
      const { value, done } = await lines.next();
      if (signal?.aborted === true) return;
      if (done === true) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    // Not awaited: a source may never resolve.
    cancel() {
      void lines.return?.();
    },
  });
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined | null): Promise<T> {
  if (signal === undefined || signal === null) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
