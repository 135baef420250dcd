import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "../clock.ts";
import type { Answer } from "../pipeline.ts";
import type { Connection } from "./connection.ts";
import {
  type KnownForm,
  KnownForms,
  nothingToSend,
  type PlainCall,
  plainCall,
  runDirectly,
} from "./direct-calls.ts";
import { type LegacySessions, RETRY_MS, type Session } from "./legacy-sessions.ts";
import { knownPrincipal, type Principal } from "./principal.ts";
import { answerText } from "./tool-calls.ts";

/** An answer that needs nothing of the SDK, or what is known before the SDK is asked. */
export type DirectAnswer =
  | { readonly headers: Readonly<Record<string, string>>; readonly text: string }
  | { readonly headers?: never; readonly handOver: (request: Request) => Release };

/** Called when the SDK has the request, or has refused it. */
type Release = () => void;

interface HttpCallsOptions {
  readonly sessions: LegacySessions | undefined;
  /** Whom a request comes from that brings no token of its own. */
  readonly principal: Principal | undefined;
  /** Whether arguments of a tool are repeated in headers, which are then compared. */
  readonly isMirrored: (tool: string) => boolean;
}

/** In a session an answer is a stream, whose head the SDK sends at once. Calls that are done sooner leave in one piece. */
const PATIENCE_MS = 20;

/**
 * The calls over HTTP that need nothing of the SDK: it has taken their like before, with the same headers. What comes of
 * a call but a plain answer is handed to the SDK, which goes on from there.
 */
export class HttpCalls {
  private readonly forms = new KnownForms();
  private readonly handedOver = new WeakMap<Request, HandedOver>();
  private readonly running = new Set<AbortController>();
  private readonly options: HttpCallsOptions;

  constructor(options: HttpCallsOptions) {
    this.options = options;
  }

  /** For the server: learns that the SDK takes such calls. */
  readonly onCall = (connection: Connection, ctx: ServerContext): Promise<Answer> | undefined => {
    const request = ctx.http?.req;
    const known = request && this.handedOver.get(request);
    if (request === undefined || known === undefined) return undefined;
    // Once: a question to the person makes the SDK run the same call again.
    this.handedOver.delete(request);
    known.learn?.(connection, ctx);
    const { begun } = known;
    if (begun === undefined) return undefined;
    const { signal } = ctx.mcpReq;
    signal.addEventListener("abort", () => begun.controller.abort(signal.reason), { once: true });
    begun.sdk.resolve(ctx);
    return begun.answering;
  };

  /** Whether this request is a call that has begun already. */
  hasBegun(request: Request): boolean {
    return this.handedOver.get(request)?.begun !== undefined;
  }

  /** The caller was let in, and `body` is no larger than allowed. */
  async answer(
    headers: IncomingHttpHeaders,
    body: Uint8Array,
    auth: AuthInfo | undefined,
    whenGone: (abort: () => void) => void,
  ): Promise<DirectAnswer> {
    const call = plainCall(parsed(body));
    if (call === undefined || this.options.isMirrored(call.name)) return AS_EVER;
    const id = headers["mcp-session-id"];
    return id === undefined
      ? this.alone(call, headers, auth, whenGone)
      : this.inSession(call, headers, auth, String(id));
  }

  close(): void {
    for (const controller of this.running) controller.abort(new Error("The server is closing."));
  }

  /** A request of 2026 and later, which stands alone. */
  private alone(
    call: PlainCall,
    headers: IncomingHttpHeaders,
    auth: AuthInfo | undefined,
    whenGone: (abort: () => void) => void,
  ): DirectAnswer | Promise<DirectAnswer> {
    const form = formOf(call, headers);
    const known = this.forms.get(form);
    if (known === undefined)
      return this.learning((connection, ctx) => {
        if (connection.era === "modern") this.forms.learn(form, connection, ctx);
      });
    const controller = new AbortController();
    whenGone(() => controller.abort());
    return this.run(call, known, controller, auth, nothingToSend, (answer, connection) => {
      const text = answerText(answer, connection, call.id);
      return text === undefined ? undefined : { headers: JSON_HEADERS, text };
    });
  }

  /** A request in a session of a client of before 2026. */
  private inSession(
    call: PlainCall,
    headers: IncomingHttpHeaders,
    auth: AuthInfo | undefined,
    id: string,
  ): DirectAnswer | Promise<DirectAnswer> {
    const session = this.options.sessions?.find(id, auth);
    if (session === undefined || session.begun.has(call.id)) return AS_EVER;
    const form = formOf(call, headers);
    const known = session.forms.get(form);
    if (known === undefined)
      return this.learning((connection, ctx) => session.forms.learn(form, connection, ctx));
    return this.run(
      call,
      known,
      new AbortController(),
      auth,
      undefined,
      (answer, connection) => {
        const text = answerText(answer, connection, call.id);
        return text === undefined
          ? undefined
          : {
              headers: { ...STREAM_HEADERS, "mcp-session-id": id },
              text: eventsOf(session, headers["mcp-protocol-version"], text),
            };
      },
      session,
    );
  }

  private learning(learn: HandedOver["learn"]): DirectAnswer {
    return {
      handOver: (request) => {
        this.handedOver.set(request, { learn });
        return nothingToRelease;
      },
    };
  }

  /** Resolves with the answer, or with what the SDK takes over: a call that lasts, logs, asks or fails. */
  private run(
    call: PlainCall,
    known: KnownForm,
    controller: AbortController,
    authInfo: AuthInfo | undefined,
    log: ServerContext["mcpReq"]["log"] | undefined,
    written: (answer: Answer & { kind: "rendered" }, connection: Connection) => DirectAnswer | undefined,
    session?: Session,
  ): Promise<DirectAnswer> {
    const principal = knownPrincipal(authInfo) ?? this.options.principal;
    const connection = { ...known.connection, principal };
    this.running.add(controller);
    return new Promise((resolve) => {
      const sdk = Promise.withResolvers<ServerContext>();
      const released = Promise.withResolvers<void>();
      let isOver = false;
      const end = (result: DirectAnswer) => {
        if (isOver) return;
        isOver = true;
        stopWaiting();
        if (result.headers !== undefined) session?.begun.delete(call.id);
        resolve(result);
      };
      const handOver = () =>
        end({
          handOver: (request) => {
            this.handedOver.set(request, { begun: { answering, controller, sdk } });
            return () => {
              session?.begun.delete(call.id);
              released.resolve();
            };
          },
        });
      const stopWaiting = session === undefined ? nothingToRelease : systemClock.after(PATIENCE_MS, handOver);
      session?.begun.set(call.id, { handOver, released: released.promise });
      const answering = runDirectly({ ...known, connection }, call, {
        signal: controller.signal,
        log:
          log ??
          (async (...line) => {
            handOver();
            await (await sdk.promise).mcpReq.log(...line);
          }),
        authInfo,
      });
      answering
        .then(
          (answer) => {
            if (isOver) return;
            const result = answer.kind === "rendered" ? written(answer, connection) : undefined;
            if (result === undefined) handOver();
            else end(result);
          },
          () => handOver(),
        )
        .finally(() => this.running.delete(controller));
    });
  }
}

interface HandedOver {
  readonly learn?: ((connection: Connection, ctx: ServerContext) => void) | undefined;
  readonly begun?: Begun;
}

/** A call that runs, or has run, when the SDK gets it. */
interface Begun {
  readonly answering: Promise<Answer>;
  readonly controller: AbortController;
  readonly sdk: PromiseWithResolvers<ServerContext>;
}

const nothingToRelease = (): void => {};

const AS_EVER: DirectAnswer = { handOver: () => nothingToRelease };

const JSON_HEADERS = { "content-type": "application/json" };

const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "content-type": "text/event-stream",
  "x-accel-buffering": "no",
};

/** All that the SDK looks at in a request, but for the id and the arguments. */
function formOf(call: PlainCall, headers: IncomingHttpHeaders): string {
  return `${headers["mcp-protocol-version"]}\n${headers["mcp-method"]}\n${headers["mcp-name"]}\n${headers.accept}\n${headers["content-type"]}\n${call.form}`;
}

/** From this revision on a stream begins with an event that says how to come back to it. */
const FIRST_WITH_PRIMING = "2025-11-25";

function eventsOf({ events }: Session, version: string | string[] | undefined, text: string): string {
  const stream = crypto.randomUUID();
  const isPrimed = String(version ?? "") >= FIRST_WITH_PRIMING;
  const priming = isPrimed ? `id: ${events.storeText(stream, "{}")}\nretry: ${RETRY_MS}\ndata: \n\n` : "";
  return `${priming}event: message\nid: ${events.storeText(stream, text)}\ndata: ${text}\n\n`;
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch {
    return undefined;
  }
}
