import type { JSONRPCMessage, ServerContext, Transport } from "@modelcontextprotocol/server";
import type { Answer } from "../../call-state.ts";
import type { Connection } from "../internals.ts";
import { isOwnResponse } from "../json-rpc.ts";
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
import { EarlyClient } from "./early-client.ts";
import type { EarlyParts } from "./early-parts.ts";
import { isRepeated } from "./handshake.ts";

type Id = string | number;

interface StdioFastPathOptions {
  /** Called for the first message that needs the SDK. */
  readonly connect: () => Promise<void>;
  readonly early: EarlyParts | undefined;
  /** Handshake requests answered before this was loaded. */
  readonly answered?: readonly Id[] | undefined;
}

/**
 * Answers the handshake, lists and known-valid calls, and passes every other message, which loads the SDK. A
 * call that needs more than text, such as a question, continues in the SDK.
 */
export class StdioFastPath implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly transport: StdioTransport;
  private readonly connect: () => Promise<void>;
  /** Undefined once a message needed the SDK, which then gets all but accepted calls. */
  private early: EarlyClient | undefined;
  /** Undefined once the SDK is connected. */
  private waiting: JSONRPCMessage[] | undefined = [];
  private isConnecting = false;
  private readonly shapes = new AcceptedShapes();
  /** Shapes of simple calls that the SDK is validating. */
  private readonly validating = new Map<Id, string>();
  /** Answers the SDK sends for calls that began here. */
  private readonly handedOver = new Map<Id, Promise<Answer>>();
  private readonly running = new Map<Id, AbortController>();
  private readonly answeredBefore: Id[];

  constructor(transport: StdioTransport, { connect, early, answered = [] }: StdioFastPathOptions) {
    this.transport = transport;
    this.connect = connect;
    this.answeredBefore = [...answered];
    this.early = early && new EarlyClient(early, (notification) => transport.send(notification));
  }

  async listen(): Promise<void> {
    this.transport.onmessage = (message) => {
      if (!this.tryAnswer(message)) this.pass(message);
    };
    this.transport.onerror = (error) => this.onerror?.(error);
    this.transport.onclose = () => {
      this.abortAll();
      this.early?.end();
      this.onclose?.();
    };
    await this.transport.start();
  }

  /** Called by the SDK. */
  async start(): Promise<void> {}

  /** Called for each call the SDK accepted; returns the answer of one that already runs. */
  readonly onCall = (connection: Connection, ctx: ServerContext): Promise<Answer> | undefined => {
    const { id } = ctx.mcpReq;
    const shape = this.validating.get(id);
    if (shape !== undefined) this.shapes.learn(shape, connection, ctx);
    const answer = this.handedOver.get(id);
    this.forget(id);
    return answer;
  };

  async send(message: JSONRPCMessage): Promise<void> {
    if (isOwnResponse(message) && message.id !== undefined) {
      this.forget(message.id);
      if (isRepeated(message.id)) return;
      if (this.wasAnsweredBefore(message.id)) return this.transport.finish(message.id);
    }
    await this.transport.send(message);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** False if the SDK has to answer. */
  private tryAnswer(message: JSONRPCMessage): boolean {
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) {
      this.cancel(cancelled, reasonOf(message));
      return this.early !== undefined;
    }
    const call = simpleCall(message);
    if (call === undefined) return this.tryHandshake(message);
    // Two running requests with one id are indistinguishable.
    const isTwice = this.transport.countRunning(call.id) > 1;
    const accepted = isTwice
      ? undefined
      : (this.shapes.get(call.shape) ?? this.early?.accept(call, this.shapes));
    if (accepted === undefined) {
      this.validating.set(call.id, call.shape);
      return false;
    }
    this.run(accepted, call, message);
    return true;
  }

  private tryHandshake(message: JSONRPCMessage): boolean {
    const answer = this.early?.answer(message);
    if (answer === undefined || answer.kind === "passed") return false;
    if (answer.kind === "answered")
      this.transport.finish(answer.id, this.wasAnsweredBefore(answer.id) ? undefined : answer.text);
    return true;
  }

  /** Connects the SDK if necessary. Later messages follow in order. */
  private pass(message: JSONRPCMessage): void {
    if (this.waiting === undefined) {
      this.onmessage?.(message);
      return;
    }
    this.waiting.push(message);
    if (this.isConnecting) return;
    this.isConnecting = true;
    // These messages are valid: their answers were the SDK's.
    const repeated = (this.early?.end() ?? []) as readonly JSONRPCMessage[];
    this.early = undefined;
    // The SDK's server has its own state, such as the log level.
    this.shapes.clear();
    void this.connect().then(() => {
      const passed = [...repeated, ...(this.waiting ?? [])];
      this.waiting = undefined;
      for (const one of passed) this.onmessage?.(one);
    });
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
      this.pass(message);
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

  private wasAnsweredBefore(id: Id): boolean {
    const at = this.answeredBefore.indexOf(id);
    if (at !== -1) this.answeredBefore.splice(at, 1);
    return at !== -1;
  }

  private abortAll(): void {
    const gone = new Error("Connection closed");
    for (const controller of this.running.values()) controller.abort(gone);
    this.running.clear();
  }
}

function reasonOf(message: JSONRPCMessage): unknown {
  return "params" in message ? message.params?.reason : undefined;
}
