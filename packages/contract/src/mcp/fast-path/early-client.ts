import type { JSONRPCNotification } from "@modelcontextprotocol/server";
import type { Listener } from "../internals.ts";
import { clientIsGone } from "../request.ts";
import type { AcceptedShape, AcceptedShapes, SimpleCall } from "./accepted-shapes.ts";
import { type EarlyParts, earlyConnection } from "./early-parts.ts";
import { type HandshakeAnswer, HandshakeAnswers } from "./handshake.ts";

type Notify = (notification: JSONRPCNotification) => Promise<void>;

/** A client that has not needed the SDK yet. */
export class EarlyClient {
  private readonly parts: EarlyParts;
  private readonly answers: HandshakeAnswers;
  private readonly notify: Notify;
  private readonly listener: Listener;

  constructor(parts: EarlyParts, notify: Notify) {
    this.parts = parts;
    this.answers = new HandshakeAnswers(parts.handshake);
    this.notify = notify;
    this.listener = { toolsChanged: () => this.toolsChanged(), resourceUpdated: noSubscriber };
    if (parts.handshake().toolsChange) parts.updates.add(this.listener);
  }

  answer(message: unknown): HandshakeAnswer {
    const answer = this.answers.answer(message);
    if (answer.kind === "answered" && answer.isList) this.parts.onListed();
    return answer;
  }

  /** Undefined if the SDK has to decide. */
  accept(call: SimpleCall, shapes: AcceptedShapes): AcceptedShape | undefined {
    const client = this.answers.clientOf(call.meta);
    if (client === undefined) return undefined;
    const connection = earlyConnection(this.parts, client, "stdio", (params) =>
      this.notify({ jsonrpc: "2.0", method: "notifications/message", params: { ...params } }),
    );
    return shapes.accept(call.shape, connection, client.envelope);
  }

  /** Returns the messages that bring the SDK's server into the same state. */
  end(): readonly object[] {
    this.parts.updates.delete(this.listener);
    return this.answers.conversation();
  }

  /** Modern clients are notified only on a stream they open, which needs the SDK. */
  private toolsChanged(): void {
    if (!this.answers.isLegacy) return;
    void this.notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }).catch(clientIsGone);
  }
}

/** Subscriptions to resources need the SDK. */
function noSubscriber(): void {}
