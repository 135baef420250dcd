import { isUtf8 } from "node:buffer";
import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "../clock.ts";
import { parseJson } from "../json.ts";
import type { Answer, RenderedAnswer } from "../pipeline.ts";
import type { Connection } from "./connection.ts";
import {
  type KnownForm,
  KnownForms,
  nothingToSend,
  type PlainCall,
  plainCall,
  runDirectly,
} from "./direct-calls.ts";
import { type BegunInSession, type LegacySessions, RETRY_MS, type Session } from "./legacy-sessions.ts";
import { knownPrincipal, type Principal } from "./principal.ts";
import { answerText } from "./tool-calls.ts";

/** An answer that needs nothing of the SDK, or what is known before the SDK is asked. */
export type DirectAnswer =
  | { readonly headers: Readonly<Record<string, string>>; readonly text: string }
  | { readonly headers?: never; readonly handOver: (request: Request) => Release };

/** Called when the SDK has the request, or has refused it. */
type Release = () => void;

/** The headers that decide about a call. */
export interface Head {
  host?: string;
  origin?: string;
  authorization?: string;
  contentLength?: string;
  contentType?: string;
  accept?: string;
  protocolVersion?: string;
  method?: string;
  name?: string;
  session?: string;
}

/** Node's list of names and values, read once and without its objects; undefined where one of them comes twice. */
export function headOf(rawHeaders: readonly string[]): Head | undefined {
  const head: Head = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const member = MEMBERS.get(rawHeaders[at]?.toLowerCase() ?? "");
    if (member === undefined) continue;
    if (head[member] !== undefined) return undefined;
    head[member] = rawHeaders[at + 1] ?? "";
  }
  return head;
}

const MEMBERS: ReadonlyMap<string, keyof Head> = new Map([
  ["host", "host"],
  ["origin", "origin"],
  ["authorization", "authorization"],
  ["content-length", "contentLength"],
  ["content-type", "contentType"],
  ["accept", "accept"],
  ["mcp-protocol-version", "protocolVersion"],
  ["mcp-method", "method"],
  ["mcp-name", "name"],
  ["mcp-session-id", "session"],
]);

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
    begun.onTaken(ctx);
    return begun.answering;
  };

  /** Whether this request is a call that has begun already. */
  hasBegun(request: Request): boolean {
    return this.handedOver.get(request)?.begun !== undefined;
  }

  /** The caller was let in, and `body` is no larger than allowed. */
  answer(
    head: Head,
    body: Uint8Array,
    auth: AuthInfo | undefined,
    whenGone: (abort: () => void) => void,
  ): DirectAnswer | Promise<DirectAnswer> {
    const call = plainCall(parsed(body));
    if (call === undefined || this.options.isMirrored(call.name)) return AS_EVER;
    return head.session === undefined
      ? this.alone(call, head, auth, whenGone)
      : this.inSession(call, head, head.session, auth);
  }

  close(): void {
    for (const controller of this.running) controller.abort(new Error("The server is closing."));
  }

  /** A request of 2026 and later, which stands alone. */
  private alone(
    call: PlainCall,
    head: Head,
    auth: AuthInfo | undefined,
    whenGone: (abort: () => void) => void,
  ): DirectAnswer | Promise<DirectAnswer> {
    const form = formOf(call, head);
    const known = this.forms.get(form);
    if (known === undefined)
      return this.learning((connection, ctx) => {
        if (connection.era === "modern") this.forms.learn(form, connection, ctx);
      });
    const controller = new AbortController();
    whenGone(() => controller.abort());
    return this.run(call, known, controller, auth, (answer, connection) => {
      const text = answerText(answer, connection, call.id);
      return text === undefined ? undefined : { headers: JSON_HEADERS, text };
    });
  }

  /** A request in a session of a client of before 2026. */
  private inSession(
    call: PlainCall,
    head: Head,
    id: string,
    auth: AuthInfo | undefined,
  ): DirectAnswer | Promise<DirectAnswer> {
    const session = this.options.sessions?.find(id, auth);
    if (session === undefined || session.begun.has(call.id)) return AS_EVER;
    const form = formOf(call, head);
    const known = session.forms.get(form);
    if (known === undefined)
      return this.learning((connection, ctx) => session.forms.learn(form, connection, ctx));
    return this.run(
      call,
      known,
      new AbortController(),
      auth,
      (answer, connection) => {
        const text = answerText(answer, connection, call.id);
        return text === undefined
          ? undefined
          : {
              headers: { ...STREAM_HEADERS, "mcp-session-id": id },
              text: eventsOf(session, head.protocolVersion, text),
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
    written: (answer: RenderedAnswer, connection: Connection) => DirectAnswer | undefined,
    session?: Session,
  ): Promise<DirectAnswer> {
    const principal = knownPrincipal(authInfo) ?? this.options.principal;
    const form =
      principal === known.connection.principal
        ? known
        : { ...known, connection: { ...known.connection, principal } };
    return new Promise((resolve) => {
      let isOver = false;
      const end = (result: DirectAnswer) => {
        isOver = true;
        resolve(result);
      };
      const waiting = session && new InSession(session, call.id, () => handOver());
      const handOver = () => {
        if (isOver) return;
        waiting?.stop();
        end({
          handOver: (request) => {
            this.handedOver.set(request, {
              begun: { answering, controller, onTaken: (ctx) => waiting?.onTaken(ctx) },
            });
            return () => waiting?.release();
          },
        });
      };
      const over = () => {
        this.running.delete(controller);
        handOver();
      };
      this.running.add(controller);
      const answering = runDirectly(form, call, {
        signal: controller.signal,
        log: waiting?.log ?? nothingToSend,
        authInfo,
      });
      answering.then((answer) => {
        const result = isOver || answer.kind !== "rendered" ? undefined : written(answer, form.connection);
        if (result === undefined) return over();
        this.running.delete(controller);
        waiting?.release();
        end(result);
      }, over);
    });
  }
}

/** What a call in a session needs until it is answered, or the SDK has it. */
class InSession implements BegunInSession {
  readonly handOver: () => void;
  private readonly session: Session;
  private readonly id: string | number;
  private readonly stopWaiting: () => void;
  // Made when somebody waits for them, which is seldom.
  private taken: PromiseWithResolvers<ServerContext> | undefined;
  private freed: PromiseWithResolvers<void> | undefined;

  constructor(session: Session, id: string | number, handOver: () => void) {
    this.session = session;
    this.id = id;
    this.handOver = handOver;
    this.stopWaiting = systemClock.after(PATIENCE_MS, handOver);
    session.begun.set(id, this);
  }

  get released(): Promise<void> {
    this.freed ??= Promise.withResolvers();
    return this.freed.promise;
  }

  /** Its lines belong into the stream of this call, which is the SDK's. */
  readonly log: ServerContext["mcpReq"]["log"] = async (...line) => {
    this.taken ??= Promise.withResolvers();
    this.handOver();
    await (await this.taken.promise).mcpReq.log(...line);
  };

  onTaken(ctx: ServerContext): void {
    this.taken ??= Promise.withResolvers();
    this.taken.resolve(ctx);
  }

  stop(): void {
    this.stopWaiting();
  }

  /** Lets what waits for this call in the session go on. */
  release(): void {
    this.stopWaiting();
    this.session.begun.delete(this.id);
    this.freed?.resolve();
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
  readonly onTaken: (ctx: ServerContext) => void;
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
function formOf(call: PlainCall, { protocolVersion, method, name, accept, contentType }: Head): string {
  return JSON.stringify([protocolVersion, method, name, accept, contentType, call.form]);
}

/** From this revision on a stream begins with an event that says how to come back to it. */
const FIRST_WITH_PRIMING = "2025-11-25";

function eventsOf({ events }: Session, version = "", text: string): string {
  const stream = crypto.randomUUID();
  const isPrimed = version >= FIRST_WITH_PRIMING;
  const priming = isPrimed ? `id: ${events.storeText(stream, "{}")}\nretry: ${RETRY_MS}\ndata: \n\n` : "";
  return `${priming}event: message\nid: ${events.storeText(stream, text)}\ndata: ${text}\n\n`;
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return undefined;
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
}
