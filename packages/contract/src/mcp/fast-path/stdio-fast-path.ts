import {
  isJSONRPCResponse,
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Answer } from "../../call-state.ts";
import type { Connection } from "../internals.ts";
import { cancelledId, type StdioTransport } from "../stdio-transport.ts";
import {
  type AcceptedShape,
  AcceptedShapes,
  responseText,
  runAccepted,
  type SimpleCall,
  sendNothing,
  simpleCall,
} from "./accepted-shapes.ts";
import type { EarlyMessages } from "./preload-stdio.ts";

type Id = string | number;

/**
 * Sits between the stdio transport and the SDK. Answers calls whose shape the SDK has accepted before, and passes every
 * other message. A call that needs more than a text answer, such as a question to the user, continues in the SDK.
 */
export class StdioFastPath implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly transport: StdioTransport;
  private readonly shapes = new AcceptedShapes();
  /** The shape of each simple call that the SDK is validating. */
  private readonly validating = new Map<Id, string>();
  /** Answers that the SDK sends for calls that were begun here. */
  private readonly handedOver = new Map<Id, Promise<Answer>>();
  private readonly running = new Map<Id, AbortController>();
  /** Requests of the handshake that were answered before the SDK was loaded. */
  private readonly answeredEarly: Id[];

  constructor(transport: StdioTransport, early?: EarlyMessages) {
    this.transport = transport;
    this.answeredEarly = [...(early?.answered ?? [])];
  }

  async start(): Promise<void> {
    this.transport.onmessage = (message) => {
      if (!this.tryAnswer(message)) this.onmessage?.(message);
    };
    this.transport.onerror = (error) => this.onerror?.(error);
    this.transport.onclose = () => {
      this.abortAll();
      this.onclose?.();
    };
    await this.transport.start();
  }

  /** Called by the server for each call that the SDK has accepted; returns the answer if the call runs already. */
  readonly onCall = (connection: Connection, ctx: ServerContext): Promise<Answer> | undefined => {
    const { id } = ctx.mcpReq;
    const shape = this.validating.get(id);
    if (shape !== undefined) this.shapes.learn(shape, connection, ctx);
    const answer = this.handedOver.get(id);
    this.forget(id);
    return answer;
  };

  async send(message: JSONRPCMessage): Promise<void> {
    const id = isJSONRPCResponse(message) ? message.id : undefined;
    if (id !== undefined) {
      this.forget(id);
      if (this.wasAnsweredEarly(id)) return this.transport.finish(id);
    }
    await this.transport.send(message);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** Answers the message, now or when its call has run; false if the SDK has to. */
  private tryAnswer(message: JSONRPCMessage): boolean {
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.cancel(cancelled, reasonOf(message));
    const call = simpleCall(message);
    if (call === undefined) return false;
    const accepted = this.shapes.get(call.shape);
    // Two running requests with the same id could not be told apart here.
    if (accepted === undefined || this.transport.countRunning(call.id) > 1) {
      this.validating.set(call.id, call.shape);
      return false;
    }
    this.run(accepted, call, message);
    return true;
  }

  private run(accepted: AcceptedShape, call: SimpleCall, message: JSONRPCMessage): void {
    const controller = new AbortController();
    const { id } = call;
    this.running.set(id, controller);
    const { era, server } = accepted.connection;
    const answering = runAccepted(accepted, call, {
      signal: controller.signal,
      log: era === "modern" ? sendNothing : (level, data) => server.sendLoggingMessage({ level, data }),
    });
    const end = (text: string | undefined) => {
      if (this.running.get(id) === controller) this.running.delete(id);
      if (controller.signal.aborted) return;
      if (text !== undefined) return this.transport.finish(id, text);
      this.handedOver.set(id, answering);
      this.onmessage?.(message);
    };
    answering.then(
      (answer) => end(answer.kind === "rendered" ? responseText(answer, accepted, id) : undefined),
      () => end(undefined),
    );
  }

  private cancel(id: Id, reason: unknown): void {
    this.running.get(id)?.abort(reason);
    this.running.delete(id);
    this.forget(id);
  }

  private forget(id: Id): void {
    this.validating.delete(id);
    this.handedOver.delete(id);
  }

  private wasAnsweredEarly(id: Id): boolean {
    const at = this.answeredEarly.indexOf(id);
    if (at !== -1) this.answeredEarly.splice(at, 1);
    return at !== -1;
  }

  private abortAll(): void {
    const gone = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const controller of this.running.values()) controller.abort(gone);
    this.running.clear();
  }
}

function reasonOf(message: JSONRPCMessage): unknown {
  return "params" in message ? message.params?.reason : undefined;
}
