import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";
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
import { answerText } from "./tool-calls.ts";

type Id = string | number;

/** A call of a form that the SDK has taken before. */
export interface KnownCall {
  readonly call: PlainCall;
  readonly form: KnownForm;
}

/**
 * The calls of a client on stdio that need nothing of the SDK: it has taken their like before. What comes of a call
 * but a plain answer, such as a question to the person, is handed to the SDK, which goes on from there.
 */
export class StdioCalls {
  private readonly forms = new KnownForms();
  /** The form of each plain call that the SDK has. */
  private readonly asked = new Map<Id, string>();
  /** What the SDK is to answer with. */
  private readonly handedOver = new Map<Id, Promise<Answer>>();
  private readonly running = new Map<Id, AbortController>();

  /** For the server: learns that the SDK takes such calls. */
  readonly onCall = (connection: Connection, ctx: ServerContext): Promise<Answer> | undefined => {
    const { id } = ctx.mcpReq;
    const form = this.asked.get(id);
    if (form !== undefined) this.forms.learn(form, connection, ctx);
    const answer = this.handedOver.get(id);
    this.forget(id);
    return answer;
  };

  /** The call in a message, if its form is known. */
  known(message: unknown): KnownCall | undefined {
    const call = plainCall(message);
    if (call === undefined) return undefined;
    const form = this.forms.get(call.form);
    if (form !== undefined) return { call, form };
    this.asked.set(call.id, call.form);
    return undefined;
  }

  /** Answers with the text of the message, or calls `handOver` where the SDK has to answer; neither once it is cancelled. */
  run({ call, form }: KnownCall, send: (text: string) => void, handOver: () => void): void {
    const controller = new AbortController();
    const { id } = call;
    this.running.set(id, controller);
    const { connection } = form;
    const answering = runDirectly(form, call, {
      signal: controller.signal,
      log:
        connection.era === "modern"
          ? nothingToSend
          : (level, data) => connection.server.sendLoggingMessage({ level, data }),
    });
    const end = (text: string | undefined) => {
      if (this.running.get(id) === controller) this.running.delete(id);
      if (controller.signal.aborted) return;
      if (text !== undefined) return send(text);
      this.handedOver.set(id, answering);
      handOver();
    };
    answering.then(
      (answer) => end(answer.kind === "rendered" ? answerText(answer, connection, id) : undefined),
      () => end(undefined),
    );
  }

  /** Whether there was such a call. */
  cancel(id: Id, reason: unknown): boolean {
    const controller = this.running.get(id);
    this.running.delete(id);
    controller?.abort(reason);
    return controller !== undefined;
  }

  /** For a call that the SDK has answered, let through or not. */
  forget(id: Id): void {
    this.asked.delete(id);
    this.handedOver.delete(id);
  }

  close(): void {
    const gone = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const controller of this.running.values()) controller.abort(gone);
    this.running.clear();
  }
}
