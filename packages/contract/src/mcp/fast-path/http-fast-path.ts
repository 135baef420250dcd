import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import type { Answer, RenderedAnswer } from "../../call-state.ts";
import { parsedBytes } from "../http-body.ts";
import type { Admission } from "../http-gate.ts";
import type { ReadBody } from "../http-options.ts";
import type { Connection } from "../internals.ts";
import type { LegacySessions, Session } from "../legacy-sessions.ts";
import { knownPrincipal, type Principal } from "../request.ts";
import {
  type AcceptedShape,
  AcceptedShapes,
  responseText,
  runAccepted,
  type SimpleCall,
  sendNothing,
  simpleCall,
} from "./accepted-shapes.ts";
import { acceptCall, handshakeText } from "./early-http.ts";
import type { EarlyParts } from "./early-parts.ts";
import { type RequestHead, requestHead, shapeOf } from "./request-head.ts";
import { eventStream, SessionCalls, STREAM_HEADERS } from "./session-calls.ts";

/** A POST on Node's socket, before the web's Request is built. */
export interface IncomingPost {
  readonly rawHeaders: readonly string[];
  readonly readBody: ReadBody;
  /** Called before the body is read. */
  readonly onKnown: () => void;
  readonly whenGone: (abort: () => void) => void;
}

export type HttpAttempt =
  | { readonly kind: "answered"; readonly headers: Readonly<Record<string, string>>; readonly text: string }
  | {
      readonly kind: "passed";
      readonly readBody: ReadBody;
      /** Attaches the results so far to the request for the handler. */
      readonly attachTo: (request: Request) => Release;
    };

/** Call when the SDK has, or rejected, the request. */
type Release = () => void;

interface HttpFastPathOptions {
  readonly sessions: () => LegacySessions | undefined;
  /** Set if lists and simple calls do not need the SDK. */
  readonly early: EarlyParts | undefined;
  /** For requests without their own token. */
  readonly principal: Principal | undefined;
  /** True if the handler must check headers that repeat arguments, or more scopes. */
  readonly isChecked: (call: SimpleCall, auth: AuthInfo | undefined) => boolean;
  /** True if the handler would admit this Host and state. */
  readonly isAllowed: (head: RequestHead) => boolean;
  readonly admit: (authorization: string | undefined) => Admission | Promise<Admission>;
  readonly maxBodyBytes: number;
}

/**
 * Answers calls whose shape and headers the SDK has accepted before. Host, Origin, token and size are checked
 * for each. A call that needs more than text continues in the SDK.
 */
export class HttpFastPath {
  private readonly shapes = new AcceptedShapes();
  private readonly sessionCalls = new WeakMap<Session, SessionCalls>();
  private readonly attached = new WeakMap<Request, Attached>();
  private readonly running = new Set<AbortController>();
  private readonly options: HttpFastPathOptions;

  constructor(options: HttpFastPathOptions) {
    this.options = options;
  }

  async tryAnswer({ rawHeaders, readBody, onKnown, whenGone }: IncomingPost): Promise<HttpAttempt> {
    const head = requestHead(rawHeaders);
    if (head === undefined || !this.isAllowed(head)) return this.passed(readBody);
    const admitting = this.options.admit(head.authorization);
    const admission = admitting instanceof Promise ? await admitting : admitting;
    // Do not read the body of a rejected request.
    if (admission === "unknown" || admission instanceof Response) return this.passed(readBody, { admission });
    onKnown();
    const body = await readBody(this.options.maxBodyBytes);
    const read: ReadBody = async () => body;
    const message = body && parsedBytes(body);
    const call = simpleCall(message);
    const { early } = this.options;
    if (call === undefined) {
      const text = early && handshakeText(message, head, early);
      return text === undefined
        ? this.passed(read, { admission })
        : { kind: "answered", headers: JSON_HEADERS, text };
    }
    if (this.options.isChecked(call, admission)) return this.passed(read, { admission });
    const result = await (head.session === undefined
      ? this.answerAlone(call, head, admission, whenGone)
      : this.answerInSession(call, head, head.session, admission));
    if (result.kind === "answered") return result;
    return this.passed(read, { admission, ...result.attached }, result.release);
  }

  /** Called for each call the SDK accepted; returns the answer of one that already runs. */
  readonly onCall = (connection: Connection, ctx: ServerContext): Promise<Answer> | undefined => {
    const request = ctx.http?.req;
    const attached = request && this.attached.get(request);
    if (request === undefined || attached === undefined) return undefined;
    // Once: after a question to the user, the SDK runs the same call again.
    this.attached.delete(request);
    attached.learn?.(connection, ctx);
    const { begun } = attached;
    if (begun === undefined) return undefined;
    const { signal } = ctx.mcpReq;
    signal.addEventListener("abort", () => begun.controller.abort(signal.reason), { once: true });
    begun.onTaken(ctx);
    return begun.answering;
  };

  /** Undefined if the fast path has not checked the token. */
  admissionOf(request: Request): { readonly admission: Admission } | undefined {
    const attached = this.attached.get(request);
    return attached && "admission" in attached ? { admission: attached.admission } : undefined;
  }

  /** Hands a session's running calls to the SDK before its next request. */
  async handOverSession(request: Request, authInfo: AuthInfo | undefined): Promise<void> {
    const id = request.headers.get("mcp-session-id");
    if (id === null || this.attached.get(request)?.begun !== undefined) return;
    const session = this.options.sessions()?.find(id, authInfo);
    if (session !== undefined) await this.sessionCalls.get(session)?.handOverAll();
  }

  close(): void {
    for (const controller of this.running) controller.abort(new Error("The server is closing."));
  }

  private isAllowed(head: RequestHead): boolean {
    return (
      head.origin === undefined &&
      !(Number(head.contentLength ?? 0) > this.options.maxBodyBytes) &&
      this.options.isAllowed(head)
    );
  }

  private passed(
    readBody: ReadBody,
    attached: Attached = {},
    release: Release = releaseNothing,
  ): HttpAttempt {
    return {
      kind: "passed",
      readBody,
      attachTo: (request) => {
        this.attached.set(request, attached);
        return release;
      },
    };
  }

  /** Modern calls have no session. */
  private async answerAlone(
    call: SimpleCall,
    head: RequestHead,
    auth: AuthInfo | undefined,
    whenGone: (abort: () => void) => void,
  ): Promise<CallResult> {
    const shape = shapeOf(call, head);
    const { early } = this.options;
    const { shapes } = this;
    const accepted = shapes.get(shape) ?? (early && acceptCall(call, head, early, { shape, shapes }));
    if (accepted === undefined)
      return passedWith({
        learn: (connection, ctx) => {
          if (connection.era === "modern") this.shapes.learn(shape, connection, ctx);
        },
      });
    const controller = new AbortController();
    whenGone(() => controller.abort());
    return this.run(call, accepted, controller, auth, (text) => ({
      kind: "answered",
      headers: JSON_HEADERS,
      text,
    }));
  }

  /** A call in a legacy session. */
  private async answerInSession(
    call: SimpleCall,
    head: RequestHead,
    id: string,
    auth: AuthInfo | undefined,
  ): Promise<CallResult> {
    const session = this.options.sessions()?.find(id, auth);
    const calls = session && this.callsOf(session);
    if (session === undefined || calls === undefined || calls.has(call.id)) return passedWith({});
    const shape = shapeOf(call, head);
    const accepted = calls.shapes.get(shape);
    if (accepted === undefined)
      return passedWith({ learn: (connection, ctx) => calls.shapes.learn(shape, connection, ctx) });
    const answered = (text: string): CallResult => ({
      kind: "answered",
      headers: { ...STREAM_HEADERS, "mcp-session-id": id },
      text: eventStream(session, head.protocolVersion, text),
    });
    return this.run(call, accepted, new AbortController(), auth, answered, calls);
  }

  private callsOf(session: Session): SessionCalls {
    const calls = this.sessionCalls.get(session) ?? new SessionCalls();
    this.sessionCalls.set(session, calls);
    return calls;
  }

  /** Resolves with the answer, or with the running call if it is slow, logs, asks or fails. */
  private run(
    call: SimpleCall,
    shape: AcceptedShape,
    controller: AbortController,
    authInfo: AuthInfo | undefined,
    answered: (text: string) => CallResult,
    session?: SessionCalls,
  ): Promise<CallResult> {
    const principal = knownPrincipal(authInfo) ?? this.options.principal;
    const accepted =
      principal === shape.connection.principal
        ? shape
        : { ...shape, connection: { ...shape.connection, principal } };
    return new Promise((resolve) => {
      let isOver = false;
      const end = (result: CallResult) => {
        isOver = true;
        resolve(result);
      };
      const inSession = session?.begin(call.id, () => handOver());
      const handOver = () => {
        if (isOver) return;
        inSession?.stop();
        const begun = { answering, controller, onTaken: (ctx: ServerContext) => inSession?.onTaken(ctx) };
        end({ ...passedWith({ begun }), release: () => inSession?.release() });
      };
      const handOverEnded = () => {
        this.running.delete(controller);
        handOver();
      };
      const onAnswer = (answer: RenderedAnswer) => {
        const text = isOver ? undefined : responseText(answer, accepted, call.id);
        if (text === undefined) return handOverEnded();
        this.running.delete(controller);
        inSession?.release();
        end(answered(text));
      };
      this.running.add(controller);
      const answering = runAccepted(accepted, call, {
        signal: controller.signal,
        log: inSession?.log ?? sendNothing,
        authInfo,
      });
      answering.then(
        (answer) => (answer.kind === "rendered" ? onAnswer(answer) : handOverEnded()),
        handOverEnded,
      );
    });
  }
}

interface Attached {
  readonly admission?: Admission;
  readonly learn?: (connection: Connection, ctx: ServerContext) => void;
  readonly begun?: BegunCall;
}

interface BegunCall {
  readonly answering: Promise<Answer>;
  readonly controller: AbortController;
  readonly onTaken: (ctx: ServerContext) => void;
}

type CallResult =
  | Extract<HttpAttempt, { kind: "answered" }>
  | { readonly kind: "passed"; readonly attached: Attached; readonly release: Release };

const releaseNothing = (): void => {};

function passedWith(attached: Attached): Extract<CallResult, { kind: "passed" }> {
  return { kind: "passed", attached, release: releaseNothing };
}

const JSON_HEADERS = { "content-type": "application/json" };
